// `node --import` of this file makes `node:test` follow exceptions.mjs. Node 20 has no option for it.
import { register } from 'node:module';

register('./resolve-node-test.mjs', import.meta.url);
