/*
 * The interface of lame.wasm: mono MP3 with a constant bitrate. All streams share one input and one output buffer, since a
 * call encodes one block of one stream.
 */
#include <stdarg.h>
#include <stdio.h>
#include "lame.h"

#define EXPORT(name) __attribute__((export_name(name)))

enum {
    INPUT_SAMPLES = 16 * 1152,
    /* The worst case that LAME's API documents. */
    OUTPUT_BYTES = INPUT_SAMPLES * 5 / 4 + 7200
};

/* Louder samples, and those that are no numbers, would let LAME write outside of its tables. */
#define SAMPLE_MAX 4.0f

/* Without this the linker takes the module for a program that ends after every call. */
extern void __wasm_call_ctors(void);
EXPORT("_initialize") void initialize(void)
{
    __wasm_call_ctors();
}

static float input[INPUT_SAMPLES];
static unsigned char output[OUTPUT_BYTES];

EXPORT("input") float *input_buffer(void)
{
    return input;
}

EXPORT("inputSamples") int input_samples(void)
{
    return INPUT_SAMPLES;
}

EXPORT("output") unsigned char *output_buffer(void)
{
    return output;
}

/* Returns a stream, or 0 when the values are invalid or memory is exhausted. */
EXPORT("open") lame_t open_stream(int sample_rate_hz, int bitrate_kbps, int quality)
{
    lame_t lame = lame_init();
    if (lame == NULL)
        return NULL;
    if (lame_set_num_channels(lame, 1) < 0
        || lame_set_mode(lame, MONO) < 0
        || lame_set_in_samplerate(lame, sample_rate_hz) < 0
        || lame_set_out_samplerate(lame, sample_rate_hz) < 0
        || lame_set_brate(lame, bitrate_kbps) < 0
        || lame_set_quality(lame, quality) < 0
        || lame_set_bWriteVbrTag(lame, 0) < 0
        || lame_init_params(lame) < 0) {
        lame_close(lame);
        return NULL;
    }
    return lame;
}

/* Encodes the first samples of the input buffer. Returns the number of bytes in the output buffer, negative on failure. */
EXPORT("encode") int encode(lame_t lame, int samples)
{
    for (int i = 0; i < samples; i++) {
        float sample = input[i];
        sample = sample == sample ? sample : 0.0f;
        sample = sample < SAMPLE_MAX ? sample : SAMPLE_MAX;
        input[i] = sample > -SAMPLE_MAX ? sample : -SAMPLE_MAX;
    }
    return lame_encode_buffer_ieee_float(lame, input, input, samples, output, OUTPUT_BYTES);
}

/* Encodes what LAME still holds. Returns the number of bytes in the output buffer, negative on failure. */
EXPORT("flush") int flush(lame_t lame)
{
    return lame_encode_flush(lame, output, OUTPUT_BYTES);
}

EXPORT("close") void close_stream(lame_t lame)
{
    lame_close(lame);
}

/* Instead of the functions of the C library, which would import functions of the host. */

_Noreturn void abort(void)
{
    __builtin_trap();
}

_Noreturn void exit(int status)
{
    (void) status;
    __builtin_trap();
}

int vfprintf(FILE *file, const char *format, va_list arguments)
{
    (void) file, (void) format, (void) arguments;
    return 0;
}

int fprintf(FILE *file, const char *format, ...)
{
    (void) file, (void) format;
    return 0;
}

int fflush(FILE *file)
{
    (void) file;
    return 0;
}
