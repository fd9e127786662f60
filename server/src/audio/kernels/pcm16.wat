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
      (br_if $samples (i32.lt_s (local.get $input) (local.get $inputEnd)))))

  ;; The largest absolute value; NaN is ignored. Eight samples per iteration, at least one iteration.
  (func (export "peak") (param $input i32) (param $inputEnd i32) (result f32)
    (local $even v128) (local $odd v128)
    (loop $samples
      ;; pmax keeps its first operand when the second one is NaN.
      (local.set $even (f32x4.pmax (local.get $even) (f32x4.abs (v128.load align=4 (local.get $input)))))
      (local.set $odd (f32x4.pmax (local.get $odd) (f32x4.abs (v128.load offset=16 align=4 (local.get $input)))))
      (local.set $input (i32.add (local.get $input) (i32.const 32)))
      (br_if $samples (i32.lt_s (local.get $input) (local.get $inputEnd))))
    (local.set $even (f32x4.max (local.get $even) (local.get $odd)))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $even)) (f32x4.extract_lane 1 (local.get $even)))
      (f32.max (f32x4.extract_lane 2 (local.get $even)) (f32x4.extract_lane 3 (local.get $even)))))

  ;; The reverse of run: integers times the scale. Eight per iteration, at least one iteration.
  (func (export "unpack")
    (param $input i32) (param $inputEnd i32) (param $output i32) (param $scale f32)
    (local $scales v128) (local $values v128)
    (local.set $scales (f32x4.splat (local.get $scale)))
    (loop $samples
      (local.set $values (v128.load align=2 (local.get $input)))
      (v128.store align=4 (local.get $output)
        (f32x4.mul
          (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $values)))
          (local.get $scales)))
      (v128.store offset=16 align=4 (local.get $output)
        (f32x4.mul
          (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $values)))
          (local.get $scales)))
      (local.set $input (i32.add (local.get $input) (i32.const 16)))
      (local.set $output (i32.add (local.get $output) (i32.const 32)))
      (br_if $samples (i32.lt_s (local.get $input) (local.get $inputEnd))))))
