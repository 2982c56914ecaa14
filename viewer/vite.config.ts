/** Builds the page into one file: the script and the styles stand in it. */
import { defineConfig, type Plugin } from "vite";

const OUTSIDE = /\b(?:https?|wss?):\/\/(?!www\.w3\.org\/)[^\s"'`)]*/g;

function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      let script = "";
      let styles = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (name.endsWith(".html")) continue;
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) styles += file.source;
        else this.error(`${name} would be a second file`);
        delete bundle[name];
      }
      const page = bundle["index.html"];
      if (page?.type !== "asset") return this.error("there is no index.html");
      const html = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("</head>", () => `<style>${styles}</style>\n</head>`)
        .replace("</body>", () => `<script type="module">${inScript(script.trim())}</script>\n</body>`);
      const outside = html.match(OUTSIDE);
      if (outside) this.error(`the page names outside addresses: ${[...new Set(outside)].join(" ")}`);
      page.source = html;
    },
  };
}

/** What would end a script early, or open a comment in it, written as an escape. */
function inScript(code: string): string {
  return code.replace(/<(\/script|!--)/gi, "\\x3c$1");
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: "es2022",
    cssTarget: "chrome123",
    outDir: "../src/worldline/viewer/page",
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: false, comments: false } },
  },
  test: {
    environment: "node",
    include: ["tests/**/*.test.ts"],
    maxWorkers: 1,
    fileParallelism: false,
  },
} as Parameters<typeof defineConfig>[0]);
