;; The largest magnitude of the second difference x[n] - 2 x[n-1] + x[n-2] in each block of samples.
;; Rounded as ((x[n] - x[n-1]) - x[n-1]) + x[n-2].
(module
  (memory (export "memory") 1)

  ;; Addresses and sizes are in bytes. $block is the address of x[n-2] for the first sample of a block.
  ;; At least one block is measured, and a block has at least four samples.
  (func (export "run")
    (param $block i32) (param $blockBytes i32) (param $output i32) (param $outputEnd i32)
    (local $at i32) (local $last i32) (local $peak v128)
    (loop $blocks
      (local.set $peak (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $block))
      (local.set $last (i32.sub (i32.add (local.get $block) (local.get $blockBytes)) (i32.const 16)))
      (loop $samples
        (local.set $peak
          (f32x4.max
            (local.get $peak)
            (f32x4.abs
              (f32x4.add
                (f32x4.sub
                  (f32x4.sub
                    (v128.load offset=8 align=4 (local.get $at))
                    (v128.load offset=4 align=4 (local.get $at)))
                  (v128.load offset=4 align=4 (local.get $at)))
                (v128.load align=4 (local.get $at))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $samples (i32.lt_s (local.get $at) (local.get $last))))
      ;; The last four samples; some of them a second time when the size is no multiple of four.
      (local.set $peak
        (f32x4.max
          (local.get $peak)
          (f32x4.abs
            (f32x4.add
              (f32x4.sub
                (f32x4.sub
                  (v128.load offset=8 align=4 (local.get $last))
                  (v128.load offset=4 align=4 (local.get $last)))
                (v128.load offset=4 align=4 (local.get $last)))
              (v128.load align=4 (local.get $last))))))
      (f32.store (local.get $output)
        (f32.max
          (f32.max (f32x4.extract_lane 0 (local.get $peak)) (f32x4.extract_lane 1 (local.get $peak)))
          (f32.max (f32x4.extract_lane 2 (local.get $peak)) (f32x4.extract_lane 3 (local.get $peak)))))
      (local.set $block (i32.add (local.get $block) (local.get $blockBytes)))
      (local.set $output (i32.add (local.get $output) (i32.const 4)))
      (br_if $blocks (i32.lt_s (local.get $output) (local.get $outputEnd))))))
