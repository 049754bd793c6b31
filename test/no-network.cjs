// Loaded before the program: logs and refuses any access to the network or to a model's weights.
const { appendFileSync } = require("node:fs");
const fs = require("node:fs");
const log = process.env.NO_NETWORK_LOG;

function refuse(what) {
  return () => {
    appendFileSync(log, `${what}\n`);
    throw new Error(`no network: ${what}`);
  };
}

for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) require("node:dns")[name] = refuse(`dns.${name}`);
require("node:dns").promises.lookup = refuse("dns.promises.lookup");
require("node:net").Socket.prototype.connect = refuse("net.connect");
require("node:dgram").createSocket = refuse("dgram.createSocket");
for (const name of ["http", "https"]) {
  require(`node:${name}`).request = refuse(`${name}.request`);
  require(`node:${name}`).get = refuse(`${name}.get`);
}
globalThis.fetch = refuse("fetch");
for (const name of ["readFileSync", "openSync", "createReadStream"]) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (/minilm|\.onnx|\.safetensors/i.test(String(path))) refuse(`model ${path}`)();
    return real(path, ...rest);
  };
}
require("node:module").syncBuiltinESMExports();
