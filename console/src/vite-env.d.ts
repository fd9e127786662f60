/// <reference types="vite/client" />

declare module 'virtual:catalogue/*' {
  import type { CompiledMessage } from '@lingui/message-utils/compileMessage';

  export const messages: Record<string, CompiledMessage>;
}
