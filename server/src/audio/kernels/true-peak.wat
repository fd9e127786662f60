;; Searches samples for true peaks (ITU-R BS.1770, annex 2), four positions per iteration.
;; The coefficients of the interpolation filters, 3 of 12 taps, are at address 0. Addresses are in bytes.
(module
  (memory (export "memory") 1)

  ;; The first sample in [$at, $end) whose magnitude is above $level; $end when there is none.
  (func (export "findSample")
    (param $at i32) (param $end i32) (param $level f32)
    (result i32)
    (local $levels v128) (local $mask i32)
    (local.set $levels (f32x4.splat (local.get $level)))
    (loop $positions
      (if (i32.ge_s (local.get $at) (local.get $end)) (then (return (local.get $end))))
      (local.set $mask
        (i32x4.bitmask
          (f32x4.gt (f32x4.abs (v128.load align=4 (local.get $at))) (local.get $levels))))
      (if (local.get $mask)
        (then
          (local.set $at
            (i32.add (local.get $at) (i32.shl (i32.ctz (local.get $mask)) (i32.const 2))))
          (return (select (local.get $end) (local.get $at) (i32.ge_s (local.get $at) (local.get $end))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $positions))
    (unreachable))

  ;; The magnitude of one interpolation filter at four positions. The taps are added in order.
  (func $filter (param $taps i32) (param $coefficients i32) (result v128)
    (local $sum v128)
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load align=4 (local.get $taps)) (v128.load32_splat (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=4 align=4 (local.get $taps)) (v128.load32_splat offset=4 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=8 align=4 (local.get $taps)) (v128.load32_splat offset=8 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=12 align=4 (local.get $taps)) (v128.load32_splat offset=12 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=16 align=4 (local.get $taps)) (v128.load32_splat offset=16 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=20 align=4 (local.get $taps)) (v128.load32_splat offset=20 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=24 align=4 (local.get $taps)) (v128.load32_splat offset=24 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=28 align=4 (local.get $taps)) (v128.load32_splat offset=28 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=32 align=4 (local.get $taps)) (v128.load32_splat offset=32 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=36 align=4 (local.get $taps)) (v128.load32_splat offset=36 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=40 align=4 (local.get $taps)) (v128.load32_splat offset=40 (local.get $coefficients)))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (f32x4.mul (v128.load offset=44 align=4 (local.get $taps)) (v128.load32_splat offset=44 (local.get $coefficients)))))
    (f32x4.abs (local.get $sum)))

  ;; The first sample in [$at, $end) that completes a peak above $level; $end when there is none. A peak is the
  ;; magnitude of the sample at tap 5, or of one of the three interpolated points behind it. Twelve taps end at $at.
  (func (export "findPeak")
    (param $at i32) (param $end i32) (param $level f32)
    (result i32)
    (local $levels v128) (local $mask i32) (local $taps i32) (local $peak v128)
    (local.set $levels (f32x4.splat (local.get $level)))
    (loop $positions
      (if (i32.ge_s (local.get $at) (local.get $end)) (then (return (local.get $end))))
      (local.set $taps (i32.sub (local.get $at) (i32.const 44)))
      (local.set $peak (f32x4.abs (v128.load offset=20 align=4 (local.get $taps))))
      (local.set $peak (f32x4.max (call $filter (local.get $taps) (i32.const 0)) (local.get $peak)))
      (local.set $peak (f32x4.max (call $filter (local.get $taps) (i32.const 48)) (local.get $peak)))
      (local.set $peak (f32x4.max (call $filter (local.get $taps) (i32.const 96)) (local.get $peak)))
      (local.set $mask (i32x4.bitmask (f32x4.gt (local.get $peak) (local.get $levels))))
      (if (local.get $mask)
        (then
          (local.set $at
            (i32.add (local.get $at) (i32.shl (i32.ctz (local.get $mask)) (i32.const 2))))
          (return (select (local.get $end) (local.get $at) (i32.ge_s (local.get $at) (local.get $end))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $positions))
    (unreachable)))
