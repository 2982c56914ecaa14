// Write the memory of a Python interpreter that has imported Worldline's playground.
//
//     node playground_snapshot.mjs PYODIDE SOURCES.zip WARM_UP.py SNAPSHOT
//
// PYODIDE is the folder of the npm package. The page restores the memory instead of importing again, which takes
// ten times as long. The file WARM_UP.py is executed before the memory is written.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [package_, sources, warmUp, snapshot] = process.argv.slice(2);
try {
  const { loadPyodide } = await import(pathToFileURL(`${package_}/pyodide.mjs`).href);
  const python = await loadPyodide({ _makeSnapshot: true, env: { HOME: "/", PYTHONHASHSEED: "0" } });
  python.unpackArchive(new Uint8Array(readFileSync(sources)), "zip", { extractDir: "/lib/worldline" });
  python.runPython("import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '/lib/worldline')");
  python.runPython(readFileSync(warmUp, "utf8"));
  writeFileSync(snapshot, python.makeMemorySnapshot());
} catch (error) {
  console.error(String(error?.message ?? error).slice(-3000));
  process.exitCode = 1;
}
