import { type OnnxAttribute, readAttribute } from './attribute.ts';
import { type OnnxTensor, readTensor, writeTensor } from './tensor.ts';
import {
  bytesOf,
  MessageWriter,
  OnnxError,
  readFields,
  smallIntegerOf,
  textOf,
  type WireField,
} from './wire.ts';

/** One operation. Inputs and outputs are names of values; an empty name is an omitted value. */
export interface OnnxNode {
  readonly name: string;
  readonly opType: string;
  /** Empty for the standard operators. */
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly OnnxAttribute[];
}

/** An input or output of a graph. */
export interface ValueInfo {
  readonly name: string;
  readonly elementType: number;
  /** A number, the name of a dynamic dimension, or empty for an unknown one. */
  readonly dims?: readonly (number | string)[];
}

export interface OnnxGraph {
  readonly name: string;
  /** In topological order. */
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

/**
 * A decoded ONNX model. Immutable; the bytes of its weights are views into the source file.
 */
export interface OnnxModel {
  readonly irVersion: number;
  readonly opsets: readonly { readonly domain: string; readonly version: number }[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly graph: OnnxGraph;
  /** Other fields (producer, functions, …), encoded with their tags. */
  readonly otherFields: readonly Uint8Array[];
}

const MODEL = { irVersion: 1, graph: 7, opset: 8, metadata: 14 } as const;
const OPSET = { domain: 1, version: 2 } as const;
const METADATA = { key: 1, value: 2 } as const;
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12, sparseInitializer: 15 } as const;
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const;
const VALUE_INFO = { name: 1, type: 2 } as const;
const TYPE = { tensor: 1 } as const;
const TENSOR_TYPE = { elementType: 1, shape: 2 } as const;
const SHAPE = { dim: 1 } as const;
const DIM = { value: 1, parameter: 2 } as const;

/**
 * Decodes a model. Weights are not copied: the bytes must not change while the model is in use. Throws `OnnxError`
 * for anything but a complete single-file ONNX model.
 */
export function readModel(bytes: Uint8Array): OnnxModel {
  let irVersion = 0;
  let graph: OnnxGraph | undefined;
  const opsets: { domain: string; version: number }[] = [];
  const metadata = new Map<string, string>();
  const otherFields: Uint8Array[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === MODEL.irVersion) irVersion = smallIntegerOf(field);
    else if (field.number === MODEL.graph) graph = readGraph(bytesOf(field));
    else if (field.number === MODEL.opset) opsets.push(readOpset(bytesOf(field)));
    else if (field.number === MODEL.metadata) metadata.set(...readMetadata(bytesOf(field)));
    else otherFields.push(field.raw);
  }
  if (graph === undefined || irVersion === 0) {
    throw new OnnxError('This is not an ONNX model: it has no graph or no version.');
  }
  return { irVersion, opsets, metadata, graph, otherFields };
}

/** Encodes a model. The weights are copied once. */
export function writeModel(model: OnnxModel): Uint8Array {
  const writer = new MessageWriter().integer(MODEL.irVersion, model.irVersion);
  for (const field of model.otherFields) writer.raw(field);
  writer.message(MODEL.graph, graphWriter(model.graph));
  for (const { domain, version } of model.opsets) {
    const opset = new MessageWriter();
    if (domain !== '') opset.text(OPSET.domain, domain);
    writer.message(MODEL.opset, opset.integer(OPSET.version, version));
  }
  for (const [key, value] of model.metadata) {
    writer.message(MODEL.metadata, new MessageWriter().text(METADATA.key, key).text(METADATA.value, value));
  }
  return writer.toBytes();
}

/** Decodes the graph of a model or the body of a control flow node. */
export function readGraph(bytes: Uint8Array): OnnxGraph {
  let name = '';
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  const inputs: ValueInfo[] = [];
  const outputs: ValueInfo[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === GRAPH.node) nodes.push(readNode(bytesOf(field)));
    else if (field.number === GRAPH.name) name = textOf(field);
    else if (field.number === GRAPH.initializer) initializers.push(readTensor(bytesOf(field)));
    else if (field.number === GRAPH.input) inputs.push(readValueInfo(field));
    else if (field.number === GRAPH.output) outputs.push(readValueInfo(field));
    else if (field.number === GRAPH.sparseInitializer) {
      throw new OnnxError('The model has sparse weights, which are not supported.');
    }
  }
  return { name, nodes, initializers, inputs, outputs };
}

/** Encodes a graph as the body of a control flow node. */
export function writeGraph(graph: OnnxGraph): Uint8Array {
  return graphWriter(graph).toBytes();
}

function graphWriter(graph: OnnxGraph): MessageWriter {
  const writer = new MessageWriter();
  for (const node of graph.nodes) writer.message(GRAPH.node, nodeWriter(node));
  writer.text(GRAPH.name, graph.name);
  for (const tensor of graph.initializers) writer.message(GRAPH.initializer, writeTensor(tensor));
  for (const input of graph.inputs) writer.message(GRAPH.input, valueInfoWriter(input));
  for (const output of graph.outputs) writer.message(GRAPH.output, valueInfoWriter(output));
  return writer;
}

function readNode(bytes: Uint8Array): OnnxNode {
  let name = '';
  let opType = '';
  let domain = '';
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes: OnnxAttribute[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === NODE.input) inputs.push(textOf(field));
    else if (field.number === NODE.output) outputs.push(textOf(field));
    else if (field.number === NODE.name) name = textOf(field);
    else if (field.number === NODE.opType) opType = textOf(field);
    else if (field.number === NODE.attribute) attributes.push(readAttribute(bytesOf(field)));
    else if (field.number === NODE.domain) domain = textOf(field);
  }
  if (opType === '') throw new OnnxError(`Node "${name}" has no operator: this is not an ONNX model.`);
  return { name, opType, domain, inputs, outputs, attributes };
}

function nodeWriter(node: OnnxNode): MessageWriter {
  const writer = new MessageWriter();
  for (const input of node.inputs) writer.text(NODE.input, input);
  for (const output of node.outputs) writer.text(NODE.output, output);
  if (node.name !== '') writer.text(NODE.name, node.name);
  writer.text(NODE.opType, node.opType);
  for (const attribute of node.attributes) writer.bytes(NODE.attribute, attribute.body);
  if (node.domain !== '') writer.text(NODE.domain, node.domain);
  return writer;
}

function readOpset(bytes: Uint8Array): { domain: string; version: number } {
  let domain = '';
  let version = 0;
  for (const field of readFields(bytes)) {
    if (field.number === OPSET.domain) domain = textOf(field);
    else if (field.number === OPSET.version) version = smallIntegerOf(field);
  }
  return { domain, version };
}

function readMetadata(bytes: Uint8Array): [key: string, value: string] {
  let key = '';
  let value = '';
  for (const field of readFields(bytes)) {
    if (field.number === METADATA.key) key = textOf(field);
    else if (field.number === METADATA.value) value = textOf(field);
  }
  return [key, value];
}

function readValueInfo(valueInfo: WireField): ValueInfo {
  let name = '';
  let elementType = 0;
  let dims: (number | string)[] | undefined;
  for (const field of readFields(bytesOf(valueInfo))) {
    if (field.number === VALUE_INFO.name) name = textOf(field);
    if (field.number !== VALUE_INFO.type) continue;
    for (const type of readFields(bytesOf(field))) {
      if (type.number !== TYPE.tensor) continue;
      for (const tensorType of readFields(bytesOf(type))) {
        if (tensorType.number === TENSOR_TYPE.elementType) elementType = smallIntegerOf(tensorType);
        else if (tensorType.number === TENSOR_TYPE.shape) dims = readShape(bytesOf(tensorType));
      }
    }
  }
  return dims === undefined ? { name, elementType } : { name, elementType, dims };
}

function readShape(bytes: Uint8Array): (number | string)[] {
  const dims: (number | string)[] = [];
  for (const field of readFields(bytes)) {
    if (field.number !== SHAPE.dim) continue;
    let dim: number | string = '';
    for (const part of readFields(bytesOf(field))) {
      if (part.number === DIM.value) dim = smallIntegerOf(part);
      else if (part.number === DIM.parameter) dim = textOf(part);
    }
    dims.push(dim);
  }
  return dims;
}

function valueInfoWriter(value: ValueInfo): MessageWriter {
  const writer = new MessageWriter().text(VALUE_INFO.name, value.name);
  // Output types may be omitted in bodies of control flow nodes.
  if (value.elementType === 0) return writer;
  const tensorType = new MessageWriter().integer(TENSOR_TYPE.elementType, value.elementType);
  if (value.dims !== undefined) {
    const shape = new MessageWriter();
    for (const dim of value.dims) {
      const encoded = new MessageWriter();
      if (typeof dim === 'number') encoded.integer(DIM.value, dim);
      else if (dim !== '') encoded.text(DIM.parameter, dim);
      shape.message(SHAPE.dim, encoded);
    }
    tensorType.message(TENSOR_TYPE.shape, shape);
  }
  return writer.message(VALUE_INFO.type, new MessageWriter().message(TYPE.tensor, tensorType));
}
