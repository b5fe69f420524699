//! A heap that can be put back as it was: what an engine begins with is made once, and each call finds it untouched.
//!
//! To create an engine's realm again costs some hundred microseconds, to copy a quarter of a megabyte ten. So the heap has two parts. What is
//! allocated before [`Heap::take_snapshot`] lies in one block of memory, the *image*, and a copy of that block is kept; what is allocated later
//! comes from the system, and a list is kept of it. [`Heap::restore`] copies the image back and gives the rest away, whatever state the
//! engine left behind: addresses are the same as before, so every pointer in the image is right again.
//!
//! The only code of this workspace that the compiler cannot check. It is small on purpose, runs in the worker's process alone, behind
//! its walls, and knows nothing of JavaScript.
#![expect(unsafe_code, reason = "an allocator hands out memory; the contract of each block stands beside it")]

use std::{
    alloc::{Layout, alloc, dealloc},
    cell::RefCell,
    ptr::{self, NonNull},
    rc::Rc,
};

use rquickjs::allocator::Allocator;

/// Bytes that an engine may need before it is kept; it takes a quarter of them.
const IMAGE_BYTES: usize = 1 << 20;

/// What stands before each block. Its length is a multiple of [`ALIGN`], so the block behind it is aligned as it is.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
struct Header {
    /// Bytes of the block behind it.
    size: usize,
    /// Where the list of later blocks has it; [`IN_IMAGE`] for those of the image.
    place: usize,
}

const HEADER: usize = size_of::<Header>();
const ALIGN: usize = align_of::<Header>();
const IN_IMAGE: usize = usize::MAX;

/// One unit of the image: aligned as blocks are.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
struct Unit([u8; ALIGN]);

#[derive(Debug)]
struct State {
    /// Allocated once, never moved: blocks lie in it.
    image: NonNull<Unit>,
    /// Units of the image that are given out.
    used: usize,
    /// What the image held when it was kept.
    kept: Option<Box<[Unit]>>,
    /// Blocks that were allocated since, by their headers.
    later: Vec<NonNull<Header>>,
}

/// The owner's side of a heap; the engine has the other, [`Blocks`].
#[derive(Debug)]
pub(super) struct Heap(Rc<RefCell<State>>);

/// The engine's side of a heap.
#[derive(Debug)]
pub(super) struct Blocks(Rc<RefCell<State>>);

/// The image is too small for what was allocated before it was kept.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine does not fit into {IMAGE_BYTES} bytes")]
pub(super) struct DoesNotFit;

impl Heap {
    /// An empty heap. `None` if the system has no memory for its image.
    pub(super) fn new() -> Option<Self> {
        // SAFETY: the layout is not empty. All-zero bytes are units.
        let image = NonNull::new(unsafe { std::alloc::alloc_zeroed(image_layout()?) })?.cast();
        Some(Self(Rc::new(RefCell::new(State { image, used: 0, kept: None, later: Vec::new() }))))
    }

    /// What the engine allocates from.
    pub(super) fn blocks(&self) -> Blocks {
        Blocks(Rc::clone(&self.0))
    }

    /// From now on [`restore`](Self::restore) leads back to here.
    ///
    /// # Errors
    /// If not all that was allocated so far found room in the image. The heap then stays one that cannot be restored.
    pub(super) fn take_snapshot(&self) -> Result<(), DoesNotFit> {
        let mut state = self.0.borrow_mut();
        if !state.later.is_empty() {
            return Err(DoesNotFit);
        }
        // SAFETY: the first `used` units were initialised when the image was made, and nobody writes to them meanwhile: blocks are
        // written to by the engine alone, on this thread, which is here.
        let image = unsafe { std::slice::from_raw_parts(state.image.as_ptr(), state.used) };
        state.kept = Some(Box::from(image));
        Ok(())
    }

    /// Puts the heap back to where it was kept, if it was: blocks of then have the content of then, and blocks since are gone.
    ///
    /// # Safety
    /// Nothing outside of the heap points to a block that was allocated since, or relies on content that one of then had since. For an
    /// engine: no value of it is held, none was made persistent, and none of its functions is running.
    pub(super) unsafe fn restore(&self) {
        let mut state = self.0.borrow_mut();
        let State { image, kept: Some(kept), later, .. } = &mut *state else { return };
        // SAFETY: `kept` was copied from as many units at the beginning of the image. It is a box of its own, so they do not overlap.
        unsafe { ptr::copy_nonoverlapping(kept.as_ptr(), image.as_ptr(), kept.len()) };
        for header in later.drain(..) {
            // SAFETY: what stands in the list was allocated by `allocate` and not given back since; the caller no longer uses it.
            unsafe { give_back(header) };
        }
    }
}

impl State {
    /// A block of at least that size, or null.
    fn allocate(&mut self, size: usize) -> *mut u8 {
        let Some(layout) = layout(size) else { return ptr::null_mut() };
        let units = layout.size() / ALIGN;
        let in_image = self.kept.is_none() && self.used + units <= IMAGE_BYTES / ALIGN;
        let header = if in_image {
            // SAFETY: `used` and the units behind it lie within the image.
            let header = unsafe { self.image.add(self.used) }.cast::<Header>();
            self.used += units;
            Some(header)
        } else {
            // SAFETY: the layout has the header's size at least.
            NonNull::new(unsafe { alloc(layout) }).map(NonNull::cast::<Header>)
        };
        let Some(header) = header else { return ptr::null_mut() };
        let place = if in_image { IN_IMAGE } else { self.later.len() };
        // SAFETY: `header` is aligned, and points to `layout.size()` bytes that belong to nobody else.
        unsafe { header.write(Header { size: layout.size() - HEADER, place }) };
        if !in_image {
            self.later.push(header);
        }
        // SAFETY: the block begins behind the header, within what was allocated.
        unsafe { header.add(1).cast().as_ptr() }
    }

    /// # Safety
    /// `block` came from `allocate` of this state and was not given back.
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: as the caller promises, a header stands before the block.
        let (at, header) = unsafe { header_of(block) };
        // A block of the image comes back when all of it does.
        if header.place == IN_IMAGE {
            return;
        }
        let removed = self.later.swap_remove(header.place);
        debug_assert_eq!(removed, at);
        if let Some(moved) = self.later.get(header.place) {
            // SAFETY: what stands in the list is allocated; its header is ours alone.
            unsafe { (*moved.as_ptr()).place = header.place };
        }
        // SAFETY: it is allocated, as the caller promises, and no longer in the list.
        unsafe { give_back(at) };
    }
}

impl Drop for State {
    fn drop(&mut self) {
        for header in self.later.drain(..) {
            // SAFETY: what stands in the list was allocated and not given back. The engine is gone: it had the other side.
            unsafe { give_back(header) };
        }
        if let Some(layout) = image_layout() {
            // SAFETY: allocated with this layout in `Heap::new`.
            unsafe { dealloc(self.image.as_ptr().cast(), layout) };
        }
    }
}

// SAFETY: `allocate` gives blocks of at least the size that was asked for, aligned to 16, or null. `usable_size` tells what their header
// says of them, and the header is written by `allocate` alone.
unsafe impl Allocator for Blocks {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.0.borrow_mut().allocate(size)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
        let block = self.alloc(size);
        if !block.is_null() {
            // SAFETY: the block has at least `size` bytes.
            unsafe { block.write_bytes(0, size) };
        }
        block
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        if let Some(block) = NonNull::new(ptr) {
            // SAFETY: the caller's promise is the same.
            unsafe { self.0.borrow_mut().free(block) };
        }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, new_size: usize) -> *mut u8 {
        let Some(block) = NonNull::new(ptr) else { return self.alloc(new_size) };
        // SAFETY: the caller promises that the block is one of ours.
        let (_, header) = unsafe { header_of(block) };
        if (header.size / 2..=header.size).contains(&new_size) {
            return ptr;
        }
        let new = self.alloc(new_size);
        if !new.is_null() {
            // SAFETY: both have that many bytes, and are two blocks.
            unsafe { ptr::copy_nonoverlapping(ptr, new, header.size.min(new_size)) };
            // SAFETY: the old one is ours, and given back once.
            unsafe { self.dealloc(ptr) };
        }
        new
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize {
        // SAFETY: the caller promises that the block is one of ours.
        NonNull::new(ptr).map_or(0, |block| unsafe { header_of(block) }.1.size)
    }
}

/// What stands before a block, and where.
///
/// # Safety
/// The block came from [`State::allocate`] and was not given back.
unsafe fn header_of(block: NonNull<u8>) -> (NonNull<Header>, Header) {
    // SAFETY: `allocate` left a header before it.
    unsafe {
        let at = block.cast::<Header>().sub(1);
        (at, at.read())
    }
}

/// Gives a block outside of the image back to the system.
///
/// # Safety
/// It was allocated by [`State::allocate`], outside of the image, and is not used again.
unsafe fn give_back(header: NonNull<Header>) {
    // SAFETY: its header is readable, and `layout` gives for the size it tells what it was allocated with: that size is rounded already.
    unsafe {
        if let Some(layout) = layout(header.read().size) {
            dealloc(header.as_ptr().cast(), layout);
        }
    }
}

/// Of a block of at least that size, with its header.
fn layout(size: usize) -> Option<Layout> {
    let whole = size.max(1).checked_next_multiple_of(ALIGN)?.checked_add(HEADER)?;
    Layout::from_size_align(whole, ALIGN).ok()
}

fn image_layout() -> Option<Layout> {
    Layout::from_size_align(IMAGE_BYTES, ALIGN).ok()
}

#[cfg(test)]
#[path = "heap_tests.rs"]
mod tests;
