;; Release of the gain of a limiter, in 64-bit arithmetic. Addresses are in bytes.
(module
  (memory (export "memory") 1)

  ;; Multiplies the samples in [$at, $end) by the moving average of the held gain, which approaches 1 by $factor of its
  ;; distance per sample. Stops when the held gain is above $limit. The values of the average are a ring in [$ring, $ringEnd),
  ;; $slot is the oldest one and $count their number. The held gain and the sum of the ring are at address 0 and 8.
  ;; Returns the address of the first sample that was not processed.
  (func (export "release")
    (param $at i32) (param $end i32) (param $ring i32) (param $ringEnd i32) (param $slot i32)
    (param $count f64) (param $factor f64) (param $limit f64)
    (result i32)
    (local $held f64) (local $sum f64)
    (local.set $held (f64.load (i32.const 0)))
    (local.set $sum (f64.load (i32.const 8)))
    (block $done
      (loop $more
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.eqz (f64.le (local.get $held) (local.get $limit))))
        (local.set $held
          (f64.add (local.get $held)
            (f64.mul (f64.sub (f64.const 1) (local.get $held)) (local.get $factor))))
        (local.set $sum
          (f64.add (local.get $sum) (f64.sub (local.get $held) (f64.load (local.get $slot)))))
        (f64.store (local.get $slot) (local.get $held))
        (local.set $slot (i32.add (local.get $slot) (i32.const 8)))
        (if (i32.eq (local.get $slot) (local.get $ringEnd)) (then (local.set $slot (local.get $ring))))
        (f32.store (local.get $at)
          (f32.demote_f64
            (f64.mul
              (f64.promote_f32 (f32.load (local.get $at)))
              (f64.div (local.get $sum) (local.get $count)))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $more)))
    (f64.store (i32.const 0) (local.get $held))
    (f64.store (i32.const 8) (local.get $sum))
    (local.get $at)))
