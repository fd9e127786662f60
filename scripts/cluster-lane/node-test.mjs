// Node's test runner, with the tests of exceptions.mjs skipped.
import * as runner from 'node:test';
import { isException } from './exceptions.mjs';

function skippingExceptions(declare) {
  const declareOrSkip = (title, ...rest) =>
    typeof title === 'string' && isException(title) ? declare.skip(title, ...rest) : declare(title, ...rest);
  return Object.assign(declareOrSkip, { skip: declare.skip, todo: declare.todo, only: declare.only });
}

export const test = skippingExceptions(runner.test);
export const it = skippingExceptions(runner.it);
export const { describe, suite, before, after, beforeEach, afterEach, mock, run } = runner;
