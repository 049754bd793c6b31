export function kernelText(): Promise<string>;
