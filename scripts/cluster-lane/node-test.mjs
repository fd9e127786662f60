// Node's test runner, with the exceptions of exceptions.mjs.
import * as runner from 'node:test';
import { isOnOneGateway, isSkipped } from './exceptions.mjs';

function withExceptions(declare) {
  const declareTest = (title, ...rest) => {
    if (typeof title !== 'string') return declare(title, ...rest);
    if (isSkipped(title)) return declare.skip(title, ...rest);
    return isOnOneGateway(title)
      ? declare(title, ...rest.slice(0, -1), onOneGateway(rest.at(-1)))
      : declare(title, ...rest);
  };
  return Object.assign(declareTest, { skip: declare.skip, todo: declare.todo, only: declare.only });
}

/** The work of a test, during which `server/test/support/cluster` sends requests to one gateway only. */
function onOneGateway(work) {
  return async (context) => {
    process.env.MYNAH_TEST_ONE_GATEWAY = '1';
    try {
      await work(context);
    } finally {
      delete process.env.MYNAH_TEST_ONE_GATEWAY;
    }
  };
}

export const test = withExceptions(runner.test);
export const it = withExceptions(runner.it);
export const { describe, suite, before, after, beforeEach, afterEach, mock, run } = runner;
