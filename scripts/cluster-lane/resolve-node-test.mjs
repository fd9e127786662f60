// Resolves `node:test` to a module that follows exceptions.mjs.
const REPLACEMENT = new URL('./node-test.mjs', import.meta.url).href;

export function resolve(specifier, context, nextResolve) {
  return specifier === 'node:test' && context.parentURL !== REPLACEMENT
    ? { url: REPLACEMENT, shortCircuit: true }
    : nextResolve(specifier, context);
}
