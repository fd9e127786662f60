;; Sums of spectra whose real and imaginary parts are separate arrays of 32-bit values, in 64-bit arithmetic: two bins per
;; iteration. Addresses are in bytes; a spectrum has at least one bin.
(module
  (memory (export "memory") 1)

  ;; Adds the spectrum at $real and $imaginary, turned by the conjugate of $cosine + i $sine, to the one at $toReal and
  ;; $toImaginary, whose real part ends at $end.
  (func (export "addTurned")
    (param $real i32) (param $imaginary i32) (param $toReal i32) (param $toImaginary i32) (param $end i32)
    (param $cosine f64) (param $sine f64)
    (local $c v128) (local $s v128) (local $re v128) (local $im v128) (local $pairsEnd i32)
    (local.set $c (f64x2.splat (local.get $cosine)))
    (local.set $s (f64x2.splat (local.get $sine)))
    (local.set $pairsEnd (i32.sub (local.get $end) (i32.const 4)))
    (block $done
      (loop $pairs
        (br_if $done (i32.ge_s (local.get $toReal) (local.get $pairsEnd)))
        (local.set $re (f64x2.promote_low_f32x4 (v128.load64_zero align=4 (local.get $real))))
        (local.set $im (f64x2.promote_low_f32x4 (v128.load64_zero align=4 (local.get $imaginary))))
        (f64.store align=4 (local.get $toReal)
          (f64x2.extract_lane 0
            (f32x4.demote_f64x2_zero
              (f64x2.add
                (f64x2.promote_low_f32x4 (v128.load64_zero align=4 (local.get $toReal)))
                (f64x2.add
                  (f64x2.mul (local.get $c) (local.get $re))
                  (f64x2.mul (local.get $s) (local.get $im)))))))
        (f64.store align=4 (local.get $toImaginary)
          (f64x2.extract_lane 0
            (f32x4.demote_f64x2_zero
              (f64x2.add
                (f64x2.promote_low_f32x4 (v128.load64_zero align=4 (local.get $toImaginary)))
                (f64x2.sub
                  (f64x2.mul (local.get $c) (local.get $im))
                  (f64x2.mul (local.get $s) (local.get $re)))))))
        (local.set $real (i32.add (local.get $real) (i32.const 8)))
        (local.set $imaginary (i32.add (local.get $imaginary) (i32.const 8)))
        (local.set $toReal (i32.add (local.get $toReal) (i32.const 8)))
        (local.set $toImaginary (i32.add (local.get $toImaginary) (i32.const 8)))
        (br $pairs)))
    ;; The last bin of an odd number.
    (if (i32.lt_s (local.get $toReal) (local.get $end))
      (then
        (f32.store (local.get $toReal)
          (f32.demote_f64
            (f64.add
              (f64.promote_f32 (f32.load (local.get $toReal)))
              (f64.add
                (f64.mul (local.get $cosine) (f64.promote_f32 (f32.load (local.get $real))))
                (f64.mul (local.get $sine) (f64.promote_f32 (f32.load (local.get $imaginary))))))))
        (f32.store (local.get $toImaginary)
          (f32.demote_f64
            (f64.add
              (f64.promote_f32 (f32.load (local.get $toImaginary)))
              (f64.sub
                (f64.mul (local.get $cosine) (f64.promote_f32 (f32.load (local.get $imaginary))))
                (f64.mul (local.get $sine) (f64.promote_f32 (f32.load (local.get $real)))))))))))

  ;; Adds a pulse: bins 0 and 1 are given, and each bin is the one two bins before, turned by $cosine + i $sine. The real
  ;; part ends at $end.
  (func (export "addPulse")
    (param $toReal i32) (param $toImaginary i32) (param $end i32)
    (param $evenReal f64) (param $evenImaginary f64) (param $oddReal f64) (param $oddImaginary f64)
    (param $cosine f64) (param $sine f64)
    (local $c v128) (local $s v128) (local $re v128) (local $im v128) (local $turned v128) (local $pairsEnd i32)
    (local.set $c (f64x2.splat (local.get $cosine)))
    (local.set $s (f64x2.splat (local.get $sine)))
    (local.set $re (f64x2.replace_lane 1 (f64x2.splat (local.get $evenReal)) (local.get $oddReal)))
    (local.set $im (f64x2.replace_lane 1 (f64x2.splat (local.get $evenImaginary)) (local.get $oddImaginary)))
    (local.set $pairsEnd (i32.sub (local.get $end) (i32.const 4)))
    (block $done
      (loop $pairs
        (br_if $done (i32.ge_s (local.get $toReal) (local.get $pairsEnd)))
        (f64.store align=4 (local.get $toReal)
          (f64x2.extract_lane 0
            (f32x4.demote_f64x2_zero
              (f64x2.add
                (f64x2.promote_low_f32x4 (v128.load64_zero align=4 (local.get $toReal)))
                (local.get $re)))))
        (f64.store align=4 (local.get $toImaginary)
          (f64x2.extract_lane 0
            (f32x4.demote_f64x2_zero
              (f64x2.add
                (f64x2.promote_low_f32x4 (v128.load64_zero align=4 (local.get $toImaginary)))
                (local.get $im)))))
        (local.set $turned
          (f64x2.sub
            (f64x2.mul (local.get $re) (local.get $c))
            (f64x2.mul (local.get $im) (local.get $s))))
        (local.set $im
          (f64x2.add
            (f64x2.mul (local.get $re) (local.get $s))
            (f64x2.mul (local.get $im) (local.get $c))))
        (local.set $re (local.get $turned))
        (local.set $toReal (i32.add (local.get $toReal) (i32.const 8)))
        (local.set $toImaginary (i32.add (local.get $toImaginary) (i32.const 8)))
        (br $pairs)))
    ;; The last bin of an odd number.
    (if (i32.lt_s (local.get $toReal) (local.get $end))
      (then
        (f32.store (local.get $toReal)
          (f32.demote_f64
            (f64.add
              (f64.promote_f32 (f32.load (local.get $toReal)))
              (f64x2.extract_lane 0 (local.get $re)))))
        (f32.store (local.get $toImaginary)
          (f32.demote_f64
            (f64.add
              (f64.promote_f32 (f32.load (local.get $toImaginary)))
              (f64x2.extract_lane 0 (local.get $im)))))))))
