import type { OnnxAttribute } from './attribute.ts';
import type { OnnxNode } from './model.ts';

/** A node of a standard operator, named after its output. */
export function makeNode(
  opType: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly OnnxAttribute[] = [],
): OnnxNode {
  return { name: `mynah/${outputs[0]}`, opType, domain: '', inputs, outputs, attributes };
}
