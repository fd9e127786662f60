import { type OnnxTensor, readTensor, writeTensor } from './tensor.ts';
import {
  bytesOf,
  FIXED32,
  integerOf,
  integersOf,
  MessageWriter,
  OnnxError,
  readFields,
  textOf,
  toSafeNumber,
  type WireField,
} from './wire.ts';

/** An attribute of a node; its value is decoded on demand. */
export interface OnnxAttribute {
  readonly name: string;
  /** The encoded attribute, name included. */
  readonly body: Uint8Array;
}

const NAME = 1;
const FLOAT = 2;
const INT = 3;
const STRING = 4;
const TENSOR = 5;
const GRAPH = 6;
const INTS = 8;
const GRAPHS = 11;
const TYPE = 20;

const TYPE_OF_FIELD: Readonly<Record<number, number>> = {
  [FLOAT]: 1,
  [INT]: 2,
  [STRING]: 3,
  [TENSOR]: 4,
  [GRAPH]: 5,
  [INTS]: 7,
};

/** Reads the name of an encoded attribute. */
export function readAttribute(body: Uint8Array): OnnxAttribute {
  for (const field of readFields(body)) {
    if (field.number === NAME) return { name: textOf(field), body };
  }
  throw new OnnxError('A node has an attribute without a name.');
}

export function floatAttribute(name: string, value: number): OnnxAttribute {
  return makeAttribute(name, FLOAT, (writer) => writer.float(FLOAT, value));
}

export function intAttribute(name: string, value: number): OnnxAttribute {
  return makeAttribute(name, INT, (writer) => writer.integer(INT, value));
}

export function intsAttribute(name: string, values: readonly number[]): OnnxAttribute {
  return makeAttribute(name, INTS, (writer) => {
    for (const value of values) writer.integer(INTS, value);
  });
}

export function textAttribute(name: string, value: string): OnnxAttribute {
  return makeAttribute(name, STRING, (writer) => writer.text(STRING, value));
}

export function tensorAttribute(name: string, value: OnnxTensor): OnnxAttribute {
  return makeAttribute(name, TENSOR, (writer) => writer.message(TENSOR, writeTensor(value)));
}

/** An encoded body of a control flow node (`If`, `Loop`, `Scan`). */
export function graphAttribute(name: string, encodedGraph: Uint8Array): OnnxAttribute {
  return makeAttribute(name, GRAPH, (writer) => writer.bytes(GRAPH, encodedGraph));
}

function makeAttribute(name: string, field: number, write: (writer: MessageWriter) => void): OnnxAttribute {
  const writer = new MessageWriter().text(NAME, name);
  write(writer);
  writer.integer(TYPE, TYPE_OF_FIELD[field]!);
  return { name, body: writer.toBytes() };
}

type Attributes = readonly OnnxAttribute[];

/** The value of a float attribute, or undefined when the node does not set it. */
export function readFloatAttribute(attributes: Attributes, name: string): number | undefined {
  const field = fieldsOf(attributes, name, FLOAT)[0];
  if (field === undefined) return undefined;
  if (field.wireType !== FIXED32) throw new OnnxError(`Attribute "${name}" is not a float.`);
  const { buffer, byteOffset } = field.payload;
  return new DataView(buffer, byteOffset, 4).getFloat32(0, true);
}

/** The value of an integer attribute, or undefined when the node does not set it. */
export function readIntAttribute(attributes: Attributes, name: string): number | undefined {
  const field = fieldsOf(attributes, name, INT)[0];
  return field === undefined ? undefined : toSafeNumber(integerOf(field));
}

/** The value of an attribute that is a list of integers, or undefined when the node does not set it. */
export function readIntsAttribute(attributes: Attributes, name: string): number[] | undefined {
  const fields = fieldsOf(attributes, name, INTS);
  return fields.length === 0 ? undefined : fields.flatMap(integersOf).map(toSafeNumber);
}

/** The value of a tensor attribute, such as that of a `Constant`; undefined when the node does not set it. */
export function readTensorAttribute(attributes: Attributes, name: string): OnnxTensor | undefined {
  const field = fieldsOf(attributes, name, TENSOR)[0];
  return field === undefined ? undefined : readTensor(bytesOf(field));
}

/** The encoded bodies of a control flow node. */
export function readGraphAttributes(attributes: Attributes): Uint8Array[] {
  const graphs: Uint8Array[] = [];
  for (const attribute of attributes) {
    for (const field of readFields(attribute.body)) {
      if (field.number === GRAPH || field.number === GRAPHS) graphs.push(bytesOf(field));
    }
  }
  return graphs;
}

function fieldsOf(attributes: Attributes, name: string, fieldNumber: number): WireField[] {
  const attribute = attributes.find((candidate) => candidate.name === name);
  if (attribute === undefined) return [];
  return [...readFields(attribute.body)].filter((field) => field.number === fieldNumber);
}
