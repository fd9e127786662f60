/** A module of Node. Through a variable, so that bundlers for browsers do not look for it. */
export function importNode<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;
}
