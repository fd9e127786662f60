;; One output sample per iteration of the outer loop, eight taps per iteration of the inner loop.
;; The order of the additions defines the rounding: two accumulators of four lanes, added at the end.
(module
  (memory (export "memory") 1)

  ;; Addresses and steps are in bytes. Returns the address after the last output sample.
  (func (export "run")
    (param $tapStart i32) (param $lastTapStart i32) (param $phase i32)
    (param $coefficients i32) (param $tapsBytes i32)
    (param $up i32) (param $wholeStepBytes i32) (param $phaseStep i32)
    (param $output i32) (param $outputEnd i32)
    (result i32)
    (local $tap i32) (local $tapEnd i32) (local $coefficient i32)
    (local $sumA v128) (local $sumB v128)
    (loop $outputs
      (if (i32.or
            (i32.gt_s (local.get $tapStart) (local.get $lastTapStart))
            (i32.ge_s (local.get $output) (local.get $outputEnd)))
        (then (return (local.get $output))))
      (local.set $coefficient
        (i32.add (local.get $coefficients) (i32.mul (local.get $phase) (local.get $tapsBytes))))
      (local.set $tap (local.get $tapStart))
      (local.set $tapEnd (i32.add (local.get $tapStart) (local.get $tapsBytes)))
      (local.set $sumA (v128.const i32x4 0 0 0 0))
      (local.set $sumB (v128.const i32x4 0 0 0 0))
      (loop $taps
        (local.set $sumA
          (f32x4.add
            (local.get $sumA)
            (f32x4.mul
              (v128.load align=4 (local.get $tap))
              (v128.load align=4 (local.get $coefficient)))))
        (local.set $sumB
          (f32x4.add
            (local.get $sumB)
            (f32x4.mul
              (v128.load offset=16 align=4 (local.get $tap))
              (v128.load offset=16 align=4 (local.get $coefficient)))))
        (local.set $tap (i32.add (local.get $tap) (i32.const 32)))
        (local.set $coefficient (i32.add (local.get $coefficient) (i32.const 32)))
        (br_if $taps (i32.lt_s (local.get $tap) (local.get $tapEnd))))
      (local.set $sumA (f32x4.add (local.get $sumA) (local.get $sumB)))
      (f32.store (local.get $output)
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $sumA)) (f32x4.extract_lane 1 (local.get $sumA)))
          (f32.add (f32x4.extract_lane 2 (local.get $sumA)) (f32x4.extract_lane 3 (local.get $sumA)))))
      (local.set $output (i32.add (local.get $output) (i32.const 4)))
      (local.set $tapStart (i32.add (local.get $tapStart) (local.get $wholeStepBytes)))
      (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
      (if (i32.ge_s (local.get $phase) (local.get $up))
        (then
          (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
          (local.set $tapStart (i32.add (local.get $tapStart) (i32.const 4)))))
      (br $outputs))
    (unreachable)))
