import { readFileSync } from "node:fs";

/** As far as it is used here: TypeScript knows it in browsers only. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** Something that a module exports as a constant. */
export interface Constant {
  readonly value: number;
}

/** What is thrown then: by the name `WebAssembly`, by compiling, by laying memory out. */
const MISSING = new Set(["ReferenceError", "CompileError", "RangeError"]);

/** By the address of the module. */
const compiled = new Map<string, object>();

/**
 * What a new instance of a module exports: the build compiles it from AssemblyScript. Null where there is no WebAssembly
 * (`node --jitless`), none with SIMD (a processor without SSE4.1), or no memory for it.
 */
export function instanceOf<Exports>(module: URL, imports: object): Exports | null {
  try {
    const code = compiled.get(module.href) ?? new WebAssembly.Module(readFileSync(module));
    compiled.set(module.href, code);
    return new WebAssembly.Instance(code, imports).exports as Exports;
  } catch (error) {
    if (error instanceof Error && MISSING.has(error.name)) return null;
    throw error;
  }
}
