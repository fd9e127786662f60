// Calls the Go client of Fish Audio with the defaults of its constructor, and prints one JSON row per operation.
// Only the URL and the key are set. Arguments: URL KEY RECORDING.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	fishaudio "github.com/fishaudio/fish-audio-go"
)

const (
	module  = "github.com/fishaudio/fish-audio-go"
	text    = "The boat came home at last."
	timeout = 2 * time.Minute
)

type row struct {
	Client    string  `json:"client"`
	Version   string  `json:"version"`
	Operation string  `json:"operation"`
	Problem   *string `json:"problem"`
}

func main() {
	url, key, recording := os.Args[1], os.Args[2], os.Args[3]
	client := fishaudio.NewClient(fishaudio.WithAPIKey(key), fishaudio.WithBaseURL(url))
	defer client.Close()
	printRow("speech", func(ctx context.Context) error { return speak(ctx, client) })
	printRow("streaming speech", func(ctx context.Context) error { return stream(ctx, client) })
	printRow("transcription", func(ctx context.Context) error { return transcribe(ctx, client, recording) })
}

func printRow(operation string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	result := row{Client: "Go fish-audio-go", Version: version(), Operation: operation}
	if err := run(ctx); err != nil {
		problem := err.Error()
		result.Problem = &problem
	}
	line, _ := json.Marshal(result)
	fmt.Println(string(line))
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return ""
}

func speak(ctx context.Context, client *fishaudio.Client) error {
	audio, err := client.TTS.Convert(ctx, &fishaudio.ConvertParams{Text: text})
	if err != nil {
		return err
	}
	return requireAudio(audio)
}

func stream(ctx context.Context, client *fishaudio.Client) error {
	words := make(chan string)
	go func() {
		defer close(words)
		for _, word := range strings.Fields(text) {
			words <- word + " "
		}
	}()
	speech, err := client.TTS.StreamWebSocket(ctx, words, &fishaudio.StreamParams{}, nil)
	if err != nil {
		return err
	}
	defer speech.Close()
	audio, err := speech.Collect()
	if err != nil {
		return err
	}
	return requireAudio(audio)
}

func transcribe(ctx context.Context, client *fishaudio.Client, path string) error {
	audio, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	result, err := client.ASR.Transcribe(ctx, audio, nil)
	if err != nil {
		return err
	}
	if !strings.Contains(strings.ToLower(result.Text), "boat") {
		return fmt.Errorf("the transcript is wrong: %s", result.Text)
	}
	return nil
}

func requireAudio(audio []byte) error {
	if len(audio) <= 1000 {
		return errors.New("no audio")
	}
	return nil
}
