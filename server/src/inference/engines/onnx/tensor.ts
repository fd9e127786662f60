import {
  bytesOf,
  FIXED32,
  integersOf,
  MessageWriter,
  OnnxError,
  readFields,
  smallIntegerOf,
  textOf,
  toSafeNumber,
} from './wire.ts';

/** ONNX codes of element types. */
export const ELEMENT = {
  float: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  double: 11,
} as const;

/** A named constant of a graph. Its values are decoded on demand. */
export interface OnnxTensor {
  readonly name: string;
  readonly elementType: number;
  readonly dims: readonly number[];
  /** The encoded tensor without its name. */
  readonly body: Uint8Array[];
}

const DIMS = 1;
const DATA_TYPE = 2;
const FLOAT_DATA = 4;
const INT32_DATA = 5;
const INT64_DATA = 7;
const NAME = 8;
const RAW_DATA = 9;
const EXTERNAL_DATA = 13;

/** Decodes the header of a tensor; its values stay encoded. */
export function readTensor(message: Uint8Array): OnnxTensor {
  let name = '';
  let elementType = 0;
  const dims: number[] = [];
  const body: Uint8Array[] = [];
  for (const field of readFields(message)) {
    if (field.number === NAME) {
      name = textOf(field);
      continue;
    }
    if (field.number === DIMS) dims.push(...integersOf(field).map(toSafeNumber));
    else if (field.number === DATA_TYPE) elementType = smallIntegerOf(field);
    else if (field.number === EXTERNAL_DATA) {
      throw new OnnxError(
        'The model stores its weights in a separate file; only single-file models are supported.',
      );
    }
    body.push(field.raw);
  }
  return { name, elementType, dims, body };
}

/** Encodes a tensor as a message. */
export function writeTensor(tensor: OnnxTensor): MessageWriter {
  const writer = new MessageWriter();
  for (const field of tensor.body) writer.raw(field);
  if (tensor.name !== '') writer.text(NAME, tensor.name);
  return writer;
}

/** A float32 constant. */
export function floatTensor(name: string, dims: readonly number[], values: Float32Array): OnnxTensor {
  return rawTensor({ name, elementType: ELEMENT.float, dims, values });
}

/** An int64 constant, the type of shapes, axes and indices. */
export function int64Tensor(name: string, dims: readonly number[], values: readonly number[]): OnnxTensor {
  return rawTensor({
    name,
    elementType: ELEMENT.int64,
    dims,
    values: BigInt64Array.from(values, (value) => BigInt(value)),
  });
}

/** An int8 constant, the type of quantised weights. */
export function int8Tensor(name: string, dims: readonly number[], values: Int8Array): OnnxTensor {
  return rawTensor({ name, elementType: ELEMENT.int8, dims, values });
}

/** A uint8 constant. */
export function uint8Tensor(name: string, dims: readonly number[], values: Uint8Array): OnnxTensor {
  return rawTensor({ name, elementType: ELEMENT.uint8, dims, values });
}

function rawTensor(tensor: {
  readonly name: string;
  readonly elementType: number;
  readonly dims: readonly number[];
  readonly values: Float32Array | BigInt64Array | Int8Array | Uint8Array;
}): OnnxTensor {
  const { name, elementType, dims, values } = tensor;
  if (elementCount(dims) !== values.length) {
    throw new OnnxError(`Tensor "${name}" of shape [${dims}] cannot hold ${values.length} numbers.`);
  }
  const writer = new MessageWriter();
  for (const dim of dims) writer.integer(DIMS, dim);
  writer.integer(DATA_TYPE, elementType);
  writer.bytes(RAW_DATA, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return { name, elementType, dims, body: [writer.toBytes()] };
}

/** The values of a float32 tensor, copied. */
export function readFloats(tensor: OnnxTensor): Float32Array {
  if (tensor.elementType !== ELEMENT.float) {
    throw new OnnxError(`Tensor "${tensor.name}" has element type ${tensor.elementType}, not float32.`);
  }
  const values = new Float32Array(elementCount(tensor.dims));
  const bytes = new Uint8Array(values.buffer);
  let filledBytes = 0;
  for (const field of dataFields(tensor)) {
    const isSingleFloat = field.number === FLOAT_DATA && field.wireType === FIXED32;
    if (field.number !== RAW_DATA && field.number !== FLOAT_DATA) continue;
    const payload = isSingleFloat ? field.payload : bytesOf(field);
    if (filledBytes + payload.length > bytes.length) throw createWrongLengthError(tensor);
    bytes.set(payload, filledBytes);
    filledBytes += payload.length;
  }
  if (filledBytes !== bytes.length) throw createWrongLengthError(tensor);
  return values;
}

/** The values of a uint8 tensor. */
export function readBytes(tensor: OnnxTensor): Uint8Array {
  if (tensor.elementType !== ELEMENT.uint8) {
    throw new OnnxError(`Tensor "${tensor.name}" has element type ${tensor.elementType}, not uint8.`);
  }
  const values = [...dataFields(tensor)].flatMap((field) => {
    if (field.number === RAW_DATA) return [bytesOf(field)];
    return field.number === INT32_DATA ? [Uint8Array.from(integersOf(field), Number)] : [];
  });
  const bytes = values.length === 1 ? values[0]! : Uint8Array.from(values.flatMap((part) => [...part]));
  if (bytes.length !== elementCount(tensor.dims)) throw createWrongLengthError(tensor);
  return bytes;
}

/** The values of an int64 or int32 tensor. */
export function readIntegers(tensor: OnnxTensor): number[] {
  const sizeBytes =
    tensor.elementType === ELEMENT.int64 ? 8 : tensor.elementType === ELEMENT.int32 ? 4 : undefined;
  if (sizeBytes === undefined) {
    throw new OnnxError(`Tensor "${tensor.name}" has element type ${tensor.elementType}, not an integer.`);
  }
  const values: number[] = [];
  for (const field of dataFields(tensor)) {
    if (field.number === RAW_DATA) {
      const raw = bytesOf(field);
      const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
      for (let offset = 0; offset + sizeBytes <= raw.length; offset += sizeBytes) {
        values.push(
          sizeBytes === 8 ? toSafeNumber(view.getBigInt64(offset, true)) : view.getInt32(offset, true),
        );
      }
    } else if (field.number === INT64_DATA || field.number === INT32_DATA) {
      values.push(...integersOf(field).map(toSafeNumber));
    }
  }
  if (values.length !== elementCount(tensor.dims)) throw createWrongLengthError(tensor);
  return values;
}

function* dataFields(tensor: OnnxTensor) {
  for (const part of tensor.body) yield* readFields(part);
}

function elementCount(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

function createWrongLengthError(tensor: OnnxTensor): OnnxError {
  return new OnnxError(
    `Tensor "${tensor.name}" of shape [${tensor.dims}] holds a different count of numbers.`,
  );
}
