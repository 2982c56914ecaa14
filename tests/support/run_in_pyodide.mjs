// Run a Python file in Pyodide, CPython for WebAssembly.
//
//     node run_in_pyodide.mjs PYODIDE FILE FOLDER...
//
// PYODIDE is the folder of the npm package. The folders of this machine are visible under their own
// names and are put on sys.path; a folder comes before those inside it.
import { pathToFileURL } from "node:url";

const [package_, file, ...folders] = process.argv.slice(2);
try {
  const { loadPyodide } = await import(pathToFileURL(`${package_}/pyodide.mjs`).href);
  const python = await loadPyodide({ env: { HOME: "/", PYTHONHASHSEED: "0" } });
  const mounted = [];
  for (const folder of folders) {
    if (mounted.some((other) => folder.startsWith(other))) continue;
    python.FS.mkdirTree(folder);
    python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, folder);
    mounted.push(`${folder}/`);
  }
  python.globals.set("_folders", python.toPy(folders));
  python.globals.set("_file", file);
  python.runPython(`
import runpy, sys
sys.path[:0] = _folders
sys.dont_write_bytecode = True
runpy.run_path(_file, run_name="__main__")
`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
