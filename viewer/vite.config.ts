/** Build of a page as one HTML file, with its script and styles inline: the viewer, or in the mode "playground" that. */
import { defineConfig, type Plugin } from "vite";
import { definitions } from "./definitions.ts";

// URLs of other hosts; the SVG namespace and this machine are none.
const EXTERNAL_URL = /\b(?:https?|wss?):\/\/(?!www\.w3\.org\/|127\.0\.0\.1)[^\s"'`)]*/g;

function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_, bundle) {
      let script = "";
      let styles = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (name.endsWith(".html")) continue;
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) styles += file.source;
        else this.error(`the page must be one file, but the build has also ${name}`);
        delete bundle[name];
      }
      const page = Object.values(bundle)[0];
      if (page?.type !== "asset") return this.error("the build has no HTML file");
      const html = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("</head>", () => `<style>${styles}</style>\n</head>`)
        .replace("</body>", () => `<script type="module">${escapeScript(script.trim())}</script>\n</body>`);
      const urls = html.match(EXTERNAL_URL);
      if (urls) this.error(`the page contains URLs of other hosts: ${[...new Set(urls)].join(" ")}`);
      page.source = html;
    },
  };
}

/** Escapes text that would end the script element or open a comment in it. */
function escapeScript(code: string): string {
  return code.replace(/<(\/script|!--)/gi, "\\x3c$1");
}

export default defineConfig(({ mode }) => ({
  plugins: [definitions(), singleFile()],
  build: {
    target: "es2022",
    cssTarget: "chrome123",
    outDir: "../src/worldline/interfaces/viewer/page",
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: mode === "playground" ? "playground.html" : "index.html",
      output: { codeSplitting: false, comments: false },
    },
  },
  test: {
    environment: "node",
    include: ["tests/**/*.test.ts"],
    maxWorkers: 1,
    fileParallelism: false,
  },
})) as ReturnType<typeof defineConfig>;
