/** Read by ONNX Runtime when its native library starts: no event queue on disk, no lookup and no connection. */
process.env.ORT_DISABLE_TELEMETRY = '1';
