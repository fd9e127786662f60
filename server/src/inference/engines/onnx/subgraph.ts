import { readGraphAttributes } from './attribute.ts';
import { type OnnxGraph, type OnnxModel, type OnnxNode, readGraph, type ValueInfo } from './model.ts';
import type { OnnxTensor } from './tensor.ts';
import { OnnxError } from './wire.ts';

/** Since this version weights need not be listed as inputs. */
const FIRST_IR_VERSION_WITH_PLAIN_INITIALIZERS = 4;

/**
 * Extracts the part of a model that computes `outputs` from `inputs`: every node reachable backward from the outputs
 * up to the inputs, and their weights. Throws when an output does not exist, when a value is neither computed in the
 * part nor among the inputs, or when an input is not needed.
 */
export function extractSubgraph(
  model: OnnxModel,
  cut: { readonly inputs: readonly ValueInfo[]; readonly outputs: readonly ValueInfo[] },
): OnnxModel {
  const { graph } = model;
  const producers = new Map<string, OnnxNode>();
  for (const node of graph.nodes) for (const output of node.outputs) producers.set(output, node);
  const tensors = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const unusedInputs = new Set(cut.inputs.map((input) => input.name));
  const givenNames = new Set(unusedInputs);

  const keptNodes = new Set<OnnxNode>();
  const keptTensors = new Set<OnnxTensor>();
  const seen = new Set<string>();
  const pending = cut.outputs.map((output) => output.name);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '' || seen.has(name)) continue;
    seen.add(name);
    unusedInputs.delete(name);
    if (givenNames.has(name)) continue;
    const producer = producers.get(name);
    const tensor = tensors.get(name);
    if (producer !== undefined) {
      if (keptNodes.has(producer)) continue;
      keptNodes.add(producer);
      pending.push(...dependenciesOf(producer));
    } else if (tensor !== undefined) {
      keptTensors.add(tensor);
    } else {
      throw new OnnxError(`No node of the graph produces "${name}", and it is not among the inputs.`);
    }
  }
  if (unusedInputs.size > 0) {
    throw new OnnxError(`The outputs do not depend on: ${[...unusedInputs].join(', ')}.`);
  }
  return {
    ...model,
    irVersion: Math.max(model.irVersion, FIRST_IR_VERSION_WITH_PLAIN_INITIALIZERS),
    graph: {
      name: graph.name,
      nodes: graph.nodes.filter((node) => keptNodes.has(node)),
      initializers: graph.initializers.filter((tensor) => keptTensors.has(tensor)),
      inputs: cut.inputs,
      outputs: cut.outputs,
    },
  };
}

/** Every value that a node depends on: its inputs and the values captured by bodies of control flow nodes. */
export function dependenciesOf(node: OnnxNode): string[] {
  const captured = readGraphAttributes(node.attributes).flatMap((body) => capturedNames(readGraph(body)));
  return [...node.inputs, ...captured];
}

/** Index of the producers and consumers of the values of a graph. */
export class GraphIndex {
  readonly #producers = new Map<string, OnnxNode>();
  readonly #consumers = new Map<string, OnnxNode[]>();

  constructor(graph: OnnxGraph) {
    for (const node of graph.nodes) {
      for (const output of node.outputs) this.#producers.set(output, node);
      for (const input of new Set(dependenciesOf(node))) {
        const users = this.#consumers.get(input);
        if (users === undefined) this.#consumers.set(input, [node]);
        else users.push(node);
      }
    }
  }

  /** The node that produces a value; undefined for inputs, weights and unknown names. */
  producerOf(valueName: string): OnnxNode | undefined {
    return this.#producers.get(valueName);
  }

  /** All nodes that depend on a value, in graph order. */
  consumersOf(valueName: string): readonly OnnxNode[] {
    return this.#consumers.get(valueName) ?? [];
  }

  /** The names of all values that a value depends on, including itself. */
  ancestorsOf(valueName: string): Set<string> {
    const names = new Set<string>();
    const pending = [valueName];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (name === '' || names.has(name)) continue;
      names.add(name);
      const maker = this.#producers.get(name);
      if (maker !== undefined) pending.push(...dependenciesOf(maker));
    }
    return names;
  }
}

/**
 * Renames values at their producers and consumers. Throws when a new name is taken, or when a value is used inside the
 * body of a control flow node, which is not modified.
 */
export function renameValues(graph: OnnxGraph, newNames: ReadonlyMap<string, string>): OnnxGraph {
  const taken = new Set([
    ...graph.nodes.flatMap((node) => node.outputs),
    ...[...graph.initializers, ...graph.inputs].map((value) => value.name),
  ]);
  for (const [from, to] of newNames) {
    if (from !== to && taken.has(to)) throw new OnnxError(`The graph already has a value named "${to}".`);
  }
  const rename = (name: string): string => newNames.get(name) ?? name;
  const renameIn = <Value extends { readonly name: string }>(values: readonly Value[]): Value[] =>
    values.map((value) => (newNames.has(value.name) ? { ...value, name: rename(value.name) } : value));
  const nodes = graph.nodes.map((node) => {
    const captured = dependenciesOf(node).slice(node.inputs.length);
    const stuck = captured.find((name) => newNames.has(name));
    if (stuck !== undefined) {
      throw new OnnxError(`"${stuck}" is used inside the body of "${node.name}" and cannot be renamed.`);
    }
    return { ...node, inputs: node.inputs.map(rename), outputs: node.outputs.map(rename) };
  });
  return {
    ...graph,
    nodes,
    initializers: renameIn(graph.initializers),
    inputs: renameIn(graph.inputs),
    outputs: renameIn(graph.outputs),
  };
}

function capturedNames(body: OnnxGraph): string[] {
  const own = new Set([
    ...body.inputs.map((input) => input.name),
    ...body.initializers.map((tensor) => tensor.name),
    ...body.nodes.flatMap((node) => node.outputs),
  ]);
  const used = [...body.nodes.flatMap(dependenciesOf), ...body.outputs.map((output) => output.name)];
  return used.filter((name) => name !== '' && !own.has(name));
}
