// Bundles the front end into the package: the module for all hosts, its style sheet, and the scripts of the other hosts. The
// files are the same bytes on every machine. `npm run build -- FOLDER`
import { build } from "esbuild";

const outdir = process.argv[2];
const options = {
  outdir,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "inline",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
};
await build({ ...options, entryPoints: { explorer: "src/main.tsx" } });
await build({ ...options, entryPoints: { page: "src/page.ts" }, external: ["./explorer.js"] });
await build({ ...options, format: "iife", entryPoints: { file: "src/file.ts" } });
await build({ ...options, target: [], entryPoints: { explorer: "src/explorer.css" } });
