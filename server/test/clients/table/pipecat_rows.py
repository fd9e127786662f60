from rows import ELEVENLABS, KEY, TEXT, URL, recording, require, require_text, row


async def pipecat_speak(service) -> None:
    """Runs a pipeline that speaks one text with a service, and counts the audio."""
    from pipecat.frames.frames import EndFrame, Frame, TTSAudioRawFrame, TTSSpeakFrame
    from pipecat.pipeline.pipeline import Pipeline
    from pipecat.pipeline.runner import PipelineRunner
    from pipecat.pipeline.task import PipelineTask
    from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

    class Collector(FrameProcessor):
        seconds = 0.0

        async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
            await super().process_frame(frame, direction)
            if isinstance(frame, TTSAudioRawFrame):
                self.seconds += len(frame.audio) / (2 * frame.sample_rate)
            await self.push_frame(frame, direction)

    collector = Collector()
    task = PipelineTask(Pipeline([service, collector]))
    await task.queue_frames([TTSSpeakFrame(TEXT), EndFrame()])
    await PipelineRunner(handle_sigint=False).run(task)
    require(collector.seconds > 0.5, f"{collector.seconds} s of audio")


@row("pipecat-ai", "OpenAI speech")
async def _() -> None:
    from pipecat.services.openai.tts import OpenAITTSService

    await pipecat_speak(OpenAITTSService(api_key=KEY, base_url=f"{URL}/v1"))


@row("pipecat-ai", "ElevenLabs streaming speech")
async def _() -> None:
    from pipecat.services.elevenlabs.tts import ElevenLabsTTSService

    # The service has no default voice.
    settings = ElevenLabsTTSService.Settings(voice="21m00Tcm4TlvDq8ikWAM")
    url = ELEVENLABS.replace("http", "ws", 1)
    await pipecat_speak(ElevenLabsTTSService(api_key=KEY, url=url, settings=settings))


@row("pipecat-ai", "Fish Audio streaming speech")
async def _() -> None:
    from pipecat.services.fish.tts import FishAudioTTSService

    service = FishAudioTTSService(api_key=KEY)
    # The service has no parameter for its URL.
    service._base_url = f"{URL.replace('http', 'ws', 1)}/v1/tts/live"
    await pipecat_speak(service)


async def pipecat_transcribe(service) -> None:
    """Gives a service the recording as the pipeline does after a pause."""
    texts = [frame.text async for frame in service.run_stt(recording()) if hasattr(frame, "text")]
    require_text(" ".join(texts))


@row("pipecat-ai", "OpenAI transcription")
async def _() -> None:
    from pipecat.services.openai.stt import OpenAISTTService

    await pipecat_transcribe(OpenAISTTService(api_key=KEY, base_url=f"{URL}/v1"))


@row("pipecat-ai", "ElevenLabs transcription")
async def _() -> None:
    import aiohttp
    from pipecat.services.elevenlabs.stt import ElevenLabsSTTService

    async with aiohttp.ClientSession() as session:
        service = ElevenLabsSTTService(api_key=KEY, aiohttp_session=session, base_url=ELEVENLABS)
        await pipecat_transcribe(service)
