/** Imports a module that exists only in Node. The name is a variable, so that bundlers do not resolve it. */
export function importNode<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;
}
