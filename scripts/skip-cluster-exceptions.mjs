// `node --import` of this file makes `node:test` skip the tests of cluster-exceptions.mjs. Node 20 has no option for it.
import { register } from 'node:module';

register('./skip-cluster-exceptions-hook.mjs', import.meta.url);
