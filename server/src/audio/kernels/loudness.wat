;; Gain ramp and K-weighting. Addresses are in bytes.
(module
  (memory (export "memory") 1)

  ;; Multiplies the samples in [$at, $end) by $gain + $slope * index, where $index is that of the first one. Four samples
  ;; per iteration: up to three beyond $end are read and written.
  (func (export "ramp")
    (param $at i32) (param $end i32) (param $output i32) (param $gain f64) (param $slope f64) (param $index f64)
    (local $gains v128) (local $slopes v128) (local $low v128) (local $high v128) (local $samples v128)
    (local.set $gains (f64x2.splat (local.get $gain)))
    (local.set $slopes (f64x2.splat (local.get $slope)))
    (local.set $low
      (f64x2.replace_lane 1
        (f64x2.splat (local.get $index))
        (f64.add (local.get $index) (f64.const 1))))
    (local.set $high (f64x2.add (local.get $low) (f64x2.splat (f64.const 2))))
    (loop $more
      (local.set $samples (v128.load align=4 (local.get $at)))
      (v128.store align=4 (local.get $output)
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
          (f32x4.demote_f64x2_zero
            (f64x2.mul
              (f64x2.promote_low_f32x4 (local.get $samples))
              (f64x2.add (local.get $gains) (f64x2.mul (local.get $slopes) (local.get $low)))))
          (f32x4.demote_f64x2_zero
            (f64x2.mul
              (f64x2.promote_low_f32x4
                (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
                  (local.get $samples) (local.get $samples)))
              (f64x2.add (local.get $gains) (f64x2.mul (local.get $slopes) (local.get $high)))))))
      (local.set $low (f64x2.add (local.get $low) (f64x2.splat (f64.const 4))))
      (local.set $high (f64x2.add (local.get $high) (f64x2.splat (f64.const 4))))
      (local.set $output (i32.add (local.get $output) (i32.const 16)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $at) (local.get $end)))))

  ;; Filters the samples in [$at, $end) by two biquads in series and adds the squares of the output to $energy. At least one
  ;; sample. The first lane is the first biquad at a sample, the second lane the second biquad at the sample before it.
  ;; At address 0, for both biquads: b0, b1 - a1 b0, b2 - a2 b0, a1, a2, and the two states.
  (func (export "weigh")
    (param $at i32) (param $end i32) (param $energy f64)
    (result f64)
    (local $b0 v128) (local $in1 v128) (local $in2 v128) (local $a1 v128) (local $a2 v128)
    (local $s1 v128) (local $s2 v128) (local $input v128) (local $weighted v128) (local $sum v128)
    (local $before1 v128) (local $before2 v128)
    (local.set $b0 (v128.load (i32.const 0)))
    (local.set $in1 (v128.load (i32.const 16)))
    (local.set $in2 (v128.load (i32.const 32)))
    (local.set $a1 (v128.load (i32.const 48)))
    (local.set $a2 (v128.load (i32.const 64)))
    (local.set $s1 (v128.load (i32.const 80)))
    (local.set $s2 (v128.load (i32.const 96)))
    ;; The first sample: only the first biquad.
    (local.set $before1 (local.get $s1))
    (local.set $before2 (local.get $s2))
    (local.set $input (f64x2.splat (f64.promote_f32 (f32.load (local.get $at)))))
    (local.set $weighted (f64x2.add (f64x2.mul (local.get $b0) (local.get $input)) (local.get $s1)))
    (local.set $s1
      (f64x2.sub
        (f64x2.add (f64x2.mul (local.get $in1) (local.get $input)) (local.get $s2))
        (f64x2.mul (local.get $a1) (local.get $before1))))
    (local.set $s2
      (f64x2.sub
        (f64x2.mul (local.get $in2) (local.get $input))
        (f64x2.mul (local.get $a2) (local.get $before1))))
    (local.set $s1 (f64x2.replace_lane 1 (local.get $s1) (f64x2.extract_lane 1 (local.get $before1))))
    (local.set $s2 (f64x2.replace_lane 1 (local.get $s2) (f64x2.extract_lane 1 (local.get $before2))))
    (local.set $sum (f64x2.splat (local.get $energy)))
    (local.set $at (i32.add (local.get $at) (i32.const 4)))
    (block $done
      (loop $more
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $input
          (f64x2.replace_lane 0
            (f64x2.splat (f64x2.extract_lane 0 (local.get $weighted)))
            (f64.promote_f32 (f32.load (local.get $at)))))
        (local.set $before1 (local.get $s1))
        (local.set $weighted (f64x2.add (f64x2.mul (local.get $b0) (local.get $input)) (local.get $s1)))
        (local.set $s1
          (f64x2.sub
            (f64x2.add (f64x2.mul (local.get $in1) (local.get $input)) (local.get $s2))
            (f64x2.mul (local.get $a1) (local.get $before1))))
        (local.set $s2
          (f64x2.sub
            (f64x2.mul (local.get $in2) (local.get $input))
            (f64x2.mul (local.get $a2) (local.get $before1))))
        (local.set $sum
          (f64x2.add (local.get $sum) (f64x2.mul (local.get $weighted) (local.get $weighted))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $more)))
    ;; The last sample: only the second biquad.
    (local.set $input (f64x2.splat (f64x2.extract_lane 0 (local.get $weighted))))
    (local.set $before1 (local.get $s1))
    (local.set $before2 (local.get $s2))
    (local.set $weighted (f64x2.add (f64x2.mul (local.get $b0) (local.get $input)) (local.get $s1)))
    (local.set $s1
      (f64x2.sub
        (f64x2.add (f64x2.mul (local.get $in1) (local.get $input)) (local.get $s2))
        (f64x2.mul (local.get $a1) (local.get $before1))))
    (local.set $s2
      (f64x2.sub
        (f64x2.mul (local.get $in2) (local.get $input))
        (f64x2.mul (local.get $a2) (local.get $before1))))
    (v128.store (i32.const 80)
      (f64x2.replace_lane 0 (local.get $s1) (f64x2.extract_lane 0 (local.get $before1))))
    (v128.store (i32.const 96)
      (f64x2.replace_lane 0 (local.get $s2) (f64x2.extract_lane 0 (local.get $before2))))
    (f64x2.extract_lane 1
      (f64x2.add (local.get $sum) (f64x2.mul (local.get $weighted) (local.get $weighted)))))

  ;; Energy after two biquads in series, and peak, of steps of $stepBytes each, in 32-bit arithmetic. A recursive filter has to
  ;; wait for its last result, so four stretches of $steps steps are filtered at once, one in each lane, all from silence.
  ;; For each step, the energies of the lanes are written to $output, then their peaks. At address 0 are ten vectors: for each
  ;; biquad b0, b1 - a1 b0, b2 - a2 b0, a1 and a2.
  (func (export "levels")
    (param $at i32) (param $steps i32) (param $stepBytes i32) (param $output i32)
    (local $b0 v128) (local $b1 v128) (local $b2 v128) (local $a1 v128) (local $a2 v128)
    (local $d0 v128) (local $d1 v128) (local $d2 v128) (local $c1 v128) (local $c2 v128)
    (local $second i32) (local $third i32) (local $fourth i32) (local $end i32)
    (local $sample v128) (local $shelved v128) (local $weighted v128) (local $energy v128) (local $peak v128)
    (local $s1 v128) (local $s2 v128) (local $t1 v128) (local $t2 v128) (local $before v128)
    (local.set $b0 (v128.load (i32.const 0)))
    (local.set $b1 (v128.load (i32.const 16)))
    (local.set $b2 (v128.load (i32.const 32)))
    (local.set $a1 (v128.load (i32.const 48)))
    (local.set $a2 (v128.load (i32.const 64)))
    (local.set $d0 (v128.load (i32.const 80)))
    (local.set $d1 (v128.load (i32.const 96)))
    (local.set $d2 (v128.load (i32.const 112)))
    (local.set $c1 (v128.load (i32.const 128)))
    (local.set $c2 (v128.load (i32.const 144)))
    (local.set $second (i32.add (local.get $at) (i32.mul (local.get $steps) (local.get $stepBytes))))
    (local.set $third (i32.add (local.get $second) (i32.mul (local.get $steps) (local.get $stepBytes))))
    (local.set $fourth (i32.add (local.get $third) (i32.mul (local.get $steps) (local.get $stepBytes))))
    (loop $nextStep
      (local.set $energy (v128.const f32x4 0 0 0 0))
      (local.set $peak (v128.const f32x4 0 0 0 0))
      (local.set $end (i32.add (local.get $at) (local.get $stepBytes)))
      (loop $nextSample
        (local.set $sample
          (v128.load32_lane 3 (local.get $fourth)
            (v128.load32_lane 2 (local.get $third)
              (v128.load32_lane 1 (local.get $second)
                (v128.load32_zero (local.get $at))))))
        (local.set $peak (f32x4.pmax (local.get $peak) (f32x4.abs (local.get $sample))))
        (local.set $shelved
          (f32x4.add (f32x4.mul (local.get $b0) (local.get $sample)) (local.get $s1)))
        (local.set $before (local.get $s1))
        (local.set $s1
          (f32x4.sub
            (f32x4.add (f32x4.mul (local.get $b1) (local.get $sample)) (local.get $s2))
            (f32x4.mul (local.get $a1) (local.get $before))))
        (local.set $s2
          (f32x4.sub
            (f32x4.mul (local.get $b2) (local.get $sample))
            (f32x4.mul (local.get $a2) (local.get $before))))
        (local.set $weighted
          (f32x4.add (f32x4.mul (local.get $d0) (local.get $shelved)) (local.get $t1)))
        (local.set $before (local.get $t1))
        (local.set $t1
          (f32x4.sub
            (f32x4.add (f32x4.mul (local.get $d1) (local.get $shelved)) (local.get $t2))
            (f32x4.mul (local.get $c1) (local.get $before))))
        (local.set $t2
          (f32x4.sub
            (f32x4.mul (local.get $d2) (local.get $shelved))
            (f32x4.mul (local.get $c2) (local.get $before))))
        (local.set $energy
          (f32x4.add (local.get $energy) (f32x4.mul (local.get $weighted) (local.get $weighted))))
        (local.set $second (i32.add (local.get $second) (i32.const 4)))
        (local.set $third (i32.add (local.get $third) (i32.const 4)))
        (local.set $fourth (i32.add (local.get $fourth) (i32.const 4)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br_if $nextSample (i32.lt_u (local.get $at) (local.get $end))))
      (v128.store (local.get $output) (local.get $energy))
      (v128.store offset=16 (local.get $output) (local.get $peak))
      (local.set $output (i32.add (local.get $output) (i32.const 32)))
      (local.set $steps (i32.sub (local.get $steps) (i32.const 1)))
      (br_if $nextStep (local.get $steps)))))
