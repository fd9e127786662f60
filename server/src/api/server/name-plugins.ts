import type { FastifyInstance } from 'fastify';

const DISPLAY_NAME = Symbol.for('fastify.display-name');

interface Plugin {
  readonly name: string;
  [DISPLAY_NAME]?: string;
}

type Register = (this: FastifyInstance, plugin: Plugin, options?: object) => unknown;

/**
 * Gives every plugin the name of its function. Fastify compares a plugin without a name with every loaded CommonJS module,
 * twice.
 */
export function namePlugins(app: FastifyInstance): void {
  const register = app.register as unknown as Register;
  const registerNamed: Register = function (plugin, options) {
    plugin[DISPLAY_NAME] ??= plugin.name || 'routes';
    return register.call(this, plugin, options);
  };
  app.register = registerNamed as unknown as typeof app.register;
}
