// The only module that loads ONNX Runtime. Its builds report usage to Microsoft unless this variable is set before the
// native library is loaded; `./disable-telemetry.ts` must therefore be the first import.
import './disable-telemetry.ts';

export { InferenceSession, Tensor } from 'onnxruntime-node';
