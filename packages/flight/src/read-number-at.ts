import type { BinaryType } from './row-tags.ts';

function printNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** One element of a typed array, as text. React sends them little-endian, as every browser's machine has them. */
export function readNumberAt(type: BinaryType, data: Uint8Array, offset: number): string {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  switch (type) {
    case 'Int8Array':
      return String(view.getInt8(offset));
    case 'Int16Array':
      return String(view.getInt16(offset, true));
    case 'Uint16Array':
      return String(view.getUint16(offset, true));
    case 'Int32Array':
      return String(view.getInt32(offset, true));
    case 'Uint32Array':
      return String(view.getUint32(offset, true));
    case 'Float32Array':
      return printNumber(view.getFloat32(offset, true));
    case 'Float64Array':
      return printNumber(view.getFloat64(offset, true));
    case 'BigInt64Array':
      return `${view.getBigInt64(offset, true)}n`;
    case 'BigUint64Array':
      return `${view.getBigUint64(offset, true)}n`;
    case 'ArrayBuffer':
    case 'Uint8Array':
    case 'Uint8ClampedArray':
    case 'DataView':
      return String(view.getUint8(offset));
  }
}
