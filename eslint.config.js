import { builtinModules } from "node:module";
import path from "node:path";
import comments from "@eslint-community/eslint-plugin-eslint-comments/configs";
import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript";
import importX from "eslint-plugin-import-x";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import { ROOMS, mayImport } from "./tools/rooms.js";

const root = import.meta.dirname;
const librarySource = path.join(root, "packages/mcp-parley/src");

/** One zone per room: it may import nothing of the library but the rooms the table gives it. */
const roomZones = ROOMS.map((room) => ({
  target: path.join(librarySource, room),
  from: librarySource,
  except: mayImport(room).map((allowed) => `./${allowed}`),
  message: `${room}/ may only import from ${mayImport(room).join("/, ")}/ (tools/rooms.js)`,
}));

/** The command and everything around the library use its published entries, as users do. */
const outsideZones = ["packages/cli", "examples", "demo", "conformance", "bench"].map((folder) => ({
  target: path.join(root, folder),
  from: path.join(root, "packages/mcp-parley"),
  except: ["./dist/entry", "./src/entry"],
  message: "Import the published entries of mcp-parley instead",
}));

const bareBuiltins = builtinModules
  .filter((name) => !name.startsWith("node:"))
  .map((name) => ({ name, message: `Write "node:${name}"` }));

export default defineConfig(
  globalIgnores(["**/dist/", "**/coverage/", ".conformance/", "**/.stryker-tmp/", "**/reports/"]),

  {
    name: "parley/all",
    files: ["**/*.{js,mjs,ts}"],
    extends: [tseslint.configs.strictTypeChecked, comments.recommended],
    plugins: { "import-x": importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    settings: {
      "import-x/extensions": [".ts", ".js", ".mjs"],
      "import-x/parsers": { "@typescript-eslint/parser": [".ts"] },
      "import-x/resolver-next": [
        createTypeScriptImportResolver({ project: path.join(root, "tsconfig.json") }),
      ],
    },
    rules: {
      "@eslint-community/eslint-comments/require-description": "error",
      "import-x/no-cycle": ["error", { ignoreExternal: true }],
      "import-x/no-self-import": "error",
      "import-x/no-duplicates": "error",
      "no-restricted-imports": ["error", { paths: bareBuiltins }],
      "import-x/no-restricted-paths": ["error", { zones: [...roomZones, ...outsideZones] }],
      eqeqeq: ["error", "always"],
      "max-lines": ["error", { max: 500 }],

      "@typescript-eslint/no-import-type-side-effects": "error",

      // `async` without `await` is how a function that may throw keeps its promise never to throw.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },

  {
    name: "parley/published",
    files: ["packages/*/src/**/*.ts"],
    rules: {
      "import-x/no-extraneous-dependencies": [
        "error",
        { devDependencies: false, includeInternal: true, includeTypes: true },
      ],
    },
  },

  {
    name: "parley/library",
    files: ["packages/mcp-parley/src/**/*.ts"],
    rules: { "no-console": "error" },
  },

  {
    name: "parley/deprecated-by-the-revision",
    files: ["packages/mcp-parley/**/*.ts", "conformance/**/*.ts"],
    // Sampling, roots and logging are marked deprecated as the revision marks them; what carries
    // and shows them has to name them all the same.
    rules: { "@typescript-eslint/no-deprecated": "off" },
  },

  {
    name: "parley/tests",
    files: ["**/test/**/*.ts", "**/*.test.ts"],
    rules: {
      // `expect(object.method)` reads a method without calling it, and wrong calls are the point
      // of many tests.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },

  {
    name: "parley/plain-js",
    files: ["**/*.mjs"],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
