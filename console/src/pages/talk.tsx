import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useStored } from '../lib/storage.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { useVoices } from '../lib/use-voices.ts';
import { Conversation, type ConversationState, type Turn } from '../talk/conversation.ts';
import { LatencyTrace } from '../talk/latency-trace.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { MicrophoneProblem } from '../ui/recording.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { VoicePicker } from '../ui/voice-picker.tsx';

export function TalkPage() {
  const t = useTranslate();
  const { data: state } = useConsole();
  const { data: voices } = useVoices();
  const [voiceId, setVoiceId] = useStored<string | undefined>('mynah.talk.voice', undefined);
  const [url, setUrl] = useStored('mynah.talk.url', '');
  const [chatModel, setChatModel] = useStored('mynah.talk.model', '');
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const conversation = useRef<Conversation>(undefined);
  const [shown, setShown] = useState<ConversationState>();

  const options = {
    voiceId: voiceId ?? voices?.[0]?._id,
    model: state?.default_model ?? 's1',
    chat: url.trim() === '' ? undefined : { url: url.trim(), model: chatModel.trim(), key },
  };
  const open = (): Conversation => {
    conversation.current ??= new Conversation(options, setShown);
    conversation.current.options = options;
    return conversation.current;
  };
  useEffect(() => () => conversation.current?.close(), []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    open().say(text);
    setText('');
  };
  const isListening = shown?.isListening ?? false;
  const hasNoMicrophone =
    shown?.error instanceof DOMException ||
    (shown?.error instanceof Error && shown.error.message === 'no-microphone');
  return (
    <>
      <PageHeader
        title={t('Talk')}
        text={t('Speak or type. The server repeats what you say, or a chat server of your choice answers.')}
      />
      <div className="grid gap-6 lg:grid-cols-[1fr_18rem]">
        <section aria-label={t('Conversation')} className="card flex min-h-[26rem] min-w-0 flex-col">
          <Messages shown={shown} />
          {shown?.isReconnecting && (
            <p role="status" className="px-4 pb-3 text-sm text-warn">
              {t('The server cannot be reached. Trying again…')}
            </p>
          )}
          {shown?.error !== undefined && (
            <div className="px-4 pb-3">
              {hasNoMicrophone ? <MicrophoneProblem /> : <ErrorState error={shown.error} />}
            </div>
          )}
          <form onSubmit={send} className="flex items-center gap-2 border-t border-line p-3">
            <button
              type="button"
              aria-pressed={isListening}
              onClick={() => (isListening ? conversation.current?.stop() : void open().listen())}
              className={`flex min-h-10 items-center gap-2 rounded-full px-4 font-medium ${isListening ? 'bg-danger text-bg' : 'bg-accent text-accent-ink'}`}
            >
              <Icon name={isListening ? 'stop' : 'voice'} />
              <span className="sr-only sm:not-sr-only">
                {isListening ? t('Stop listening') : t('Speak to it')}
              </span>
            </button>
            <input
              aria-label={t('Message')}
              placeholder={t('Or type a message')}
              className="input w-auto min-w-0 flex-1"
              maxLength={2000}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <Button type="submit" disabled={text.trim() === ''}>
              {t('Send')}
            </Button>
          </form>
        </section>
        <section aria-label={t('Settings')} className="min-w-0 space-y-5">
          <VoicePicker label={t('Voice')} value={options.voiceId} onChange={({ _id }) => setVoiceId(_id)} />
          <ChatServer
            settings={{ url, model: chatModel, key }}
            onChange={(chat) => {
              setUrl(chat.url);
              setChatModel(chat.model);
              setKey(chat.key);
            }}
          />
          <EventLog shown={shown} />
        </section>
      </div>
    </>
  );
}

interface ShownProps {
  readonly shown: ConversationState | undefined;
}

function Messages({ shown }: ShownProps) {
  const t = useTranslate();
  return (
    <div aria-live="polite" className="flex-1 space-y-3 overflow-y-auto p-4 md:p-5">
      {!shown?.turns.length && !shown?.partial && (
        <EmptyState icon="chat" title={t('Say hello')}>
          {t('You can interrupt the answer at any time.')}
        </EmptyState>
      )}
      {shown?.turns.map((turn) => (
        <Bubble key={turn.id} turn={turn} />
      ))}
      {shown?.partial && (
        <p className="ms-auto w-fit max-w-[85%] rounded-2xl border border-dashed border-line-strong px-4 py-2 text-muted">
          {shown.partial}
        </p>
      )}
    </div>
  );
}

function Bubble({ turn }: { readonly turn: Turn }) {
  const isUser = turn.who === 'user';
  return (
    <p
      dir="auto"
      data-who={turn.who}
      className={`w-fit max-w-[85%] rounded-2xl px-4 py-2 break-words ${isUser ? 'ms-auto bg-accent-soft' : 'bg-sunken'}`}
    >
      {turn.text || '…'}
    </p>
  );
}

interface ChatServerSettings {
  readonly url: string;
  readonly model: string;
  readonly key: string;
}

function ChatServer({
  settings,
  onChange,
}: {
  readonly settings: ChatServerSettings;
  readonly onChange: (settings: ChatServerSettings) => void;
}) {
  const t = useTranslate();
  const set = (change: Partial<ChatServerSettings>) => onChange({ ...settings, ...change });
  return (
    <details className="card p-4">
      <summary className="cursor-pointer font-medium">{t('Chat server')}</summary>
      <div className="mt-3 space-y-3">
        <TextField
          label={t('Address')}
          value={settings.url}
          onChange={(url) => set({ url })}
          inputMode="url"
          placeholder="http://localhost:11434/v1"
          hint={t('With the API of OpenAI. It must allow requests from this page (CORS).')}
        />
        <TextField label={t('Model')} value={settings.model} onChange={(model) => set({ model })} />
        <TextField
          label={t('Key of the chat server')}
          type="password"
          autoComplete="off"
          value={settings.key}
          onChange={(key) => set({ key })}
          hint={t('Kept in this page only.')}
        />
      </div>
    </details>
  );
}

function EventLog({ shown }: ShownProps) {
  const t = useTranslate();
  return (
    <section aria-label={t('Events')} className="card p-4">
      <h2 className="mb-2 font-medium">{t('Events')}</h2>
      {shown?.trace.textMs !== undefined && <LatencyTrace trace={shown.trace} />}
      <ol className="max-h-56 space-y-1 overflow-y-auto font-mono text-xs text-muted">
        {shown?.log.map((entry) => (
          <li key={entry.id} className="break-words">
            <span className="tabular-nums">{(entry.atMs / 1000).toFixed(2)}</span> {entry.text}
          </li>
        ))}
      </ol>
      {!shown?.log.length && <p className="text-sm text-muted">{t('Nothing yet.')}</p>}
    </section>
  );
}
