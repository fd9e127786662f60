// Serves the console with reloading, in front of a server on port 8080.
import { createServer } from 'vite';
import { viteOptions } from './vite-options.mjs';

const server = await createServer(viteOptions());
await server.listen();
server.printUrls();
