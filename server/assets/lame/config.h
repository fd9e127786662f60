/* The configuration of LAME for build.mjs, instead of the config.h that LAME's configure script writes. */
#include <stdint.h>
#include <stdio.h>

#define STDC_HEADERS 1
#define HAVE_ERRNO_H 1
#define HAVE_LIMITS_H 1
#define HAVE_STDINT_H 1
#define HAVE_STRCHR 1
#define HAVE_MEMCPY 1
#define PROTOTYPES 1
#define USE_FAST_LOG 1
#define TAKEHIRO_IEEE754_HACK 1
#define LAME_LIBRARY_BUILD 1
#define PACKAGE "lame"

typedef double ieee754_float64_t;
typedef float ieee754_float32_t;

/* The module has no imports: messages of LAME are discarded (mp3.c). */
#undef stderr
#define stderr ((FILE *) 0)
