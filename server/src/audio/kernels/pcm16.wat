;; Eight samples per iteration: scaled, rounded half up, clamped to 16 bits. NaN becomes 0.
(module
  (memory (export "memory") 1)

  ;; Addresses are in bytes. At least one iteration runs.
  (func (export "run")
    (param $input i32) (param $inputEnd i32) (param $output i32) (param $scale f32) (param $half f32)
    (local $scales v128) (local $halves v128)
    (local.set $scales (f32x4.splat (local.get $scale)))
    (local.set $halves (f32x4.splat (local.get $half)))
    (loop $samples
      (v128.store align=4 (local.get $output)
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s
            (f32x4.floor
              (f32x4.add
                (f32x4.mul (v128.load align=4 (local.get $input)) (local.get $scales))
                (local.get $halves))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.floor
              (f32x4.add
                (f32x4.mul (v128.load offset=16 align=4 (local.get $input)) (local.get $scales))
                (local.get $halves))))))
      (local.set $input (i32.add (local.get $input) (i32.const 32)))
      (local.set $output (i32.add (local.get $output) (i32.const 16)))
      (br_if $samples (i32.lt_s (local.get $input) (local.get $inputEnd))))))
