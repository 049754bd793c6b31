import { readName } from "../redact/names.ts";

/** True if the name or folder of a file says that it holds secrets. */
export function isCredentialFile(path: string): boolean {
  const names = path.toLowerCase().split(/[\\/]/);
  const name = names.at(-1) ?? "";
  if (names.slice(0, -1).some((folder) => folders.has(folder))) return true;
  if (/\.(?:example|sample|template|dist|defaults?)$/.test(name)) return false;
  return files.test(name) || folders.has(name) || (isPlain(name) && readName(stemOf(name)).meaning !== undefined);
}

const folders: ReadonlySet<string> = new Set([
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".azure",
  ".gcloud",
  "secrets",
  ".secrets",
]);

const files =
  /^\.env(?:\..+)?$|\.env$|^\.envrc$|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|tfstate|tfvars)$|^id_(?:rsa|dsa|ecdsa|ed25519)|^\.(?:npmrc|netrc|pgpass|pypirc|htpasswd|git-credentials|dockercfg|vault-token)$|^_netrc$|^kubeconfig$|^(?:credentials?|secrets?)(?:\..+)?$|service[-_]?account.*\.json$/;

/** True for data files: `token.ts` is code about tokens. */
function isPlain(name: string): boolean {
  return !name.includes(".") || /\.(?:txt|json|ya?ml|toml|ini|conf|cfg|properties|xml)$/.test(name);
}

function stemOf(name: string): string {
  return name.replace(/\.\w+$/, "");
}
