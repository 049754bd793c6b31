/**
 * True if the program ran and stopped with an exception of its own, such as `ValueError: bad row` with a traceback. That
 * says something about its data or its code, not about how it was called. Code that was typed into the call
 * (`python -c`) belongs to the call.
 */
export function isOwnException(error: string): boolean {
  if (/^(?:\w+\.)*(?:Syntax|Indentation|Tab)Error: /m.test(error) || /^ *File "<(?:string|stdin)>"/m.test(error))
    return false;
  return traces.some((trace) => trace.test(error));
}

const traces: readonly RegExp[] = [
  /^Traceback \(most recent call last\):$/m,
  /^(?:Uncaught )?\w*(?:Error|Exception)\b.*\n(?:.*\n){0,3}? {4}at .+:\d+:\d+\)?$/m,
  /^Exception in thread ".*" [\w.$]+(?:Exception|Error)\b/m,
  /^panic: .*\n\n?goroutine \d+ \[/m,
];
