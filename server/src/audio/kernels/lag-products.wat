;; Sums of the products of a frame with the samples at lags behind it, in 64-bit arithmetic. Every sum is added in the order of the
;; samples, as one loop per lag adds it: four lags are computed at a time.
(module
  (memory (export "memory") 1)

  ;; Addresses and sizes are in bytes; samples and sums have 8 bytes. $lagged is the address of the frame's first sample at the
  ;; first lag. At least one sample and four lags; the number of lags is a multiple of four.
  (func (export "run")
    (param $frame i32) (param $frameEnd i32) (param $lagged i32) (param $output i32) (param $outputEnd i32)
    (local $at i32) (local $behind i32) (local $sample v128) (local $sumA v128) (local $sumB v128)
    (loop $lags
      (local.set $at (local.get $frame))
      (local.set $behind (local.get $lagged))
      (local.set $sumA (v128.const i32x4 0 0 0 0))
      (local.set $sumB (v128.const i32x4 0 0 0 0))
      (loop $samples
        (local.set $sample (v128.load64_splat (local.get $at)))
        (local.set $sumA
          (f64x2.add
            (local.get $sumA)
            (f64x2.mul (local.get $sample) (v128.load align=8 (local.get $behind)))))
        (local.set $sumB
          (f64x2.add
            (local.get $sumB)
            (f64x2.mul (local.get $sample) (v128.load offset=16 align=8 (local.get $behind)))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $behind (i32.add (local.get $behind) (i32.const 8)))
        (br_if $samples (i32.lt_u (local.get $at) (local.get $frameEnd))))
      (v128.store align=8 (local.get $output) (local.get $sumA))
      (v128.store offset=16 align=8 (local.get $output) (local.get $sumB))
      (local.set $lagged (i32.add (local.get $lagged) (i32.const 32)))
      (local.set $output (i32.add (local.get $output) (i32.const 32)))
      (br_if $lags (i32.lt_u (local.get $output) (local.get $outputEnd))))))
