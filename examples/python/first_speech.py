from mynah import Mynah, save

client = Mynah()
save(client.tts.stream(text="Hello! This is my first speech."), "first-speech.mp3")
