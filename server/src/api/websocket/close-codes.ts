import type { ErrorCode } from '../../errors.ts';

/** WebSocket close codes (RFC 6455, section 7.4.1). */
export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  unreadable: 1003,
  policy: 1008,
  tooBig: 1009,
  internal: 1011,
  tryAgainLater: 1013,
} as const;

export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES];

/** Errors whose close code is not `normal`. */
const CODES: Partial<Record<ErrorCode, CloseCode>> = {
  invalid_body: CLOSE_CODES.unreadable,
  live_protocol: CLOSE_CODES.policy,
  live_silence: CLOSE_CODES.policy,
  slow_reader: CLOSE_CODES.policy,
  invalid_api_key: CLOSE_CODES.policy,
  insufficient_scope: CLOSE_CODES.policy,
  invalid_audio: CLOSE_CODES.unreadable,
  audio_too_long: CLOSE_CODES.tooBig,
  audio_too_costly: CLOSE_CODES.tooBig,
  body_too_large: CLOSE_CODES.tooBig,
  text_too_long: CLOSE_CODES.tooBig,
  internal: CLOSE_CODES.internal,
  engine_failed: CLOSE_CODES.internal,
  engine_unavailable: CLOSE_CODES.tryAgainLater,
  queue_full: CLOSE_CODES.tryAgainLater,
  concurrency_exceeded: CLOSE_CODES.tryAgainLater,
  rate_limited: CLOSE_CODES.tryAgainLater,
  shutting_down: CLOSE_CODES.goingAway,
};

/** The close code to send after an error frame. */
export function closeCodeOf(code: ErrorCode): CloseCode {
  return CODES[code] ?? CLOSE_CODES.normal;
}
