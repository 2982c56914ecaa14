// Python in a worker: restores the snapshot of an interpreter that has imported Worldline, and answers requests.
const PAGE_BYTES = 65536;
// Nothing is requested from it: all files are already here.
const NO_HOST = "https://pyodide.invalid/";

let playground = null;

onmessage = async ({ data }) => {
  try {
    if (data.kind === "boot") {
      playground = await boot(data.assets);
      postMessage({ kind: "ready" });
    } else postMessage({ kind: "answer", text: playground.answer_request(data.request) });
  } catch (error) {
    postMessage({ kind: "failed", message: String(error?.message ?? error).slice(-2000) });
  }
};

async function boot({ loader, core, wasm, stdlib, snapshot, lock }) {
  self.fetch = async (url) => new Response(String(url).endsWith(".zip") ? stdlib : null);
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const instance = await WebAssembly.instantiate(wasm, imports);
    const { memory } = instance.exports;
    const missing = snapshot.byteLength - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    return { instance, module: wasm };
  };
  // Pyodide refuses workers with this function; it uses none of what they lack.
  self.importScripts = undefined;
  const { loadPyodide } = await importText(loader);
  const { default: createPyodideModule } = await importText(core);
  const python = await loadPyodide({
    indexURL: NO_HOST,
    lockFileContents: lock,
    createPyodideModule,
    _loadSnapshot: snapshot,
    env: { HOME: "/", PYTHONHASHSEED: "0" },
  });
  return python.pyimport("worldline.interfaces.playground");
}

function importText(text) {
  return import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
}
