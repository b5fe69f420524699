#![expect(unsafe_code, reason = "an allocator is tried by using what it hands out")]

use super::*;

/// What the engine asks for, with a block filled in such a way that a change of it shows.
fn filled(blocks: &mut Blocks, size: usize, with: u8) -> *mut u8 {
    let block = blocks.alloc(size);
    assert!(!block.is_null() && block.addr().is_multiple_of(ALIGN));
    // SAFETY: the block has that many bytes.
    unsafe { block.write_bytes(with, size) };
    block
}

fn holds(block: *mut u8, size: usize, what: u8) -> bool {
    // SAFETY: the tests pass blocks that are allocated, with their size.
    unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|byte| *byte == what)
}

/// Numbers that look like chance and are the same each time.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 20_261_124_u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}

#[test]
fn what_was_kept_comes_back_however_it_was_changed_freed_or_moved() {
    let heap = Heap::new().unwrap();
    let mut blocks = heap.blocks();
    let (changed, freed, moved) =
        (filled(&mut blocks, 100, 1), filled(&mut blocks, 24, 2), filled(&mut blocks, 4_000, 3));
    heap.take_snapshot().unwrap();
    for _ in 0..3 {
        // SAFETY: each block is used with its size, and not after it was freed; nothing is held over the restoring but what was kept.
        unsafe {
            changed.write_bytes(9, 100);
            blocks.dealloc(freed);
            let larger = blocks.realloc(moved, 9_000);
            assert!(larger != moved && holds(larger, 4_000, 3));
            filled(&mut blocks, 70_000, 7);
            assert_eq!(heap.0.borrow().later.len(), 2);
            heap.restore();
        }
        assert!(holds(changed, 100, 1) && holds(freed, 24, 2) && holds(moved, 4_000, 3));
        assert!(heap.0.borrow().later.is_empty());
    }
}

#[test]
fn blocks_keep_their_content_whatever_is_allocated_freed_and_resized_beside_them() {
    let heap = Heap::new().unwrap();
    let mut blocks = heap.blocks();
    let mut number = numbers();
    let first: Vec<(*mut u8, usize, u8)> = (0..40_u8).map(|with| (filled(&mut blocks, 50, with), 50, with)).collect();
    heap.take_snapshot().unwrap();
    for _ in 0..20 {
        let mut live = first.clone();
        for step in 0..2_000_usize {
            let with = u8::try_from(step % 256).unwrap();
            match number(4) {
                0 | 1 => {
                    let size = 1 + number(if step % 50 == 0 { 200_000 } else { 5_000 });
                    live.push((filled(&mut blocks, size, with), size, with));
                }
                2 if !live.is_empty() => {
                    let (block, size, what) = live.swap_remove(number(live.len()));
                    assert!(holds(block, size, what));
                    // SAFETY: it is allocated, and no longer in the list.
                    unsafe { blocks.dealloc(block) };
                }
                _ if !live.is_empty() => {
                    let at = number(live.len());
                    let (block, size, what) = live[at];
                    let new_size = 1 + number(6_000);
                    // SAFETY: it is allocated, and its place in the list is overwritten.
                    let resized = unsafe { blocks.realloc(block, new_size) };
                    assert!(holds(resized, size.min(new_size), what));
                    // SAFETY: the block has that many bytes.
                    unsafe { resized.write_bytes(with, new_size) };
                    live[at] = (resized, new_size, with);
                }
                _ => {}
            }
        }
        for (block, size, what) in live {
            assert!(holds(block, size, what));
            // SAFETY: the block is allocated.
            assert!(unsafe { Blocks::usable_size(block) } >= size);
        }
        // SAFETY: only what was kept is looked at afterwards.
        unsafe { heap.restore() };
        assert!(first.iter().all(|(block, size, what)| holds(*block, *size, *what)));
    }
}

#[test]
fn memory_that_is_asked_for_as_zeros_is_zeros_and_too_much_is_refused() {
    let heap = Heap::new().unwrap();
    let mut blocks = heap.blocks();
    let used = filled(&mut blocks, 64, 5);
    // SAFETY: it is allocated.
    unsafe { blocks.dealloc(used) };
    assert!(holds(blocks.calloc(8, 8), 64, 0));
    assert!(blocks.calloc(usize::MAX, 2).is_null());
    assert!(blocks.alloc(usize::MAX - 8).is_null());
    assert!(!blocks.alloc(0).is_null());
}

#[test]
fn what_does_not_fit_into_the_image_cannot_be_kept_and_works_all_the_same() {
    let heap = Heap::new().unwrap();
    let mut blocks = heap.blocks();
    let block = filled(&mut blocks, IMAGE_BYTES, 4);
    assert_eq!(heap.take_snapshot(), Err(DoesNotFit));
    // SAFETY: nothing was kept, so nothing is restored.
    unsafe { heap.restore() };
    assert!(holds(block, IMAGE_BYTES, 4));
}
