import CMPV
import Concurrency
import Dispatch
import Synchronization
import Timekeeping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// libmpv's software renderer on a thread of its own (`mpv/render.h`). It delivers pictures in the target's size, at
/// their times.
///
/// The renderer renders early, lets the target prepare the picture, waits for the picture's time, and lets the target
/// show it; so the target's preparation causes no delay.
///
/// `@unchecked Sendable`: only the render thread uses the context, between its creation and ``stop()``, which returns
/// after that thread has freed it.
final class FrameRenderer: @unchecked Sendable {
  private let context: OpaquePointer
  private let core: OpaquePointer
  private let wake: CInt
  private let state = Mutex(State())
  private let ended = ThreadFlag()

  private struct State: Sendable {
    var target: (any FrameTarget)?
    var wantsRedraw = false
    var isStopping = false
  }

  /// Chooses the scalers for small pictures, unless the user's configuration sets them. They are the ones of mpv's
  /// scalers whose result is most similar to the film in a terminal's few pixels (by SSIM, in colour and brightness),
  /// and without noise, which would have to be sent.
  static func chooseScalers(_ core: OpaquePointer) {
    for (name, value) in [
      ("zimg-scaler", "bicubic"), ("zimg-scaler-chroma", "bicubic"), ("zimg-dither", "no"),
    ] {
      // An mpv that was built without zimg doesn't know these options; it scales without them.
      _ = mpv_set_option_string(core, name, value)
    }
  }

  /// Creates the renderer.
  ///
  /// - Parameter core: an initialised core that has not loaded a file yet.
  init(core: OpaquePointer) throws(MPVError) {
    self.core = core
    var created: OpaquePointer?
    let status = MPV_RENDER_API_TYPE_SW.withCString { api in
      var parameters = [
        mpv_render_param(
          type: MPV_RENDER_PARAM_API_TYPE, data: UnsafeMutableRawPointer(mutating: api)),
        mpv_render_param(),
      ]
      return mpv_render_context_create(&created, core, &parameters)
    }
    guard status >= 0, let created else {
      throw MPVError(.unavailable, "mpv_render_context_create", code: status)
    }
    context = created
    wake = cmpv_eventfd()
    precondition(wake >= 0, "eventfd: errno \(errno)")
    // Any of mpv's threads may call this; it only wakes the render thread.
    mpv_render_context_set_update_callback(
      context, { pointer in FrameRenderer.rouse(CInt(Int(bitPattern: pointer))) },
      UnsafeMutableRawPointer(bitPattern: Int(wake)))
    OwnedThread.start("mpv picture") { [self] in run() }
  }

  func setTarget(_ target: (any FrameTarget)?) {
    state.withLock {
      $0.target = target
      $0.wantsRedraw = true
    }
    Self.rouse(wake)
  }

  /// Shows the current picture again, because its position has changed or it had been left out.
  func redraw() {
    state.withLock { $0.wantsRedraw = true }
    Self.rouse(wake)
  }

  /// Ends the renderer, before the core is destroyed. Blocks for as long as a picture takes.
  func stop() {
    state.withLock { $0.isStopping = true }
    Self.rouse(wake)
    ended.wait()
    close(wake)
  }

  private static func rouse(_ descriptor: CInt) {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  // MARK: - The render thread

  /// The duration above which a render counts as slow. mpv waits at most 200 ms until a picture is taken, and then puts
  /// it aside without a notification.
  private static let patience = Duration.milliseconds(150)

  private func run() {
    var surface = Surface()
    var hasCaughtUp = false
    while true {
      var wait = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
      _ = poll(&wait, 1, -1)
      var count: UInt64 = 0
      _ = read(wake, &count, 8)
      let (target, wantsRedraw, isStopping) = state.withLock { state in
        defer { state.wantsRedraw = false }
        return (state.target, state.wantsRedraw, state.isStopping)
      }
      if isStopping { break }
      let hasFrame =
        mpv_render_context_update(context) & UInt64(MPV_RENDER_UPDATE_FRAME.rawValue) != 0
      if hasFrame || (wantsRedraw && target != nil) {
        let begin = HostTime.now()
        render(for: target, isNew: hasFrame, on: &surface)
        // A picture that mpv put aside meanwhile appears only on request. Request it once, however slow the render is.
        let wasSlow = .now() - begin > Self.patience
        if wasSlow, !hasCaughtUp { redraw() }
        hasCaughtUp = wasSlow && !hasCaughtUp
      }
    }
    mpv_render_context_set_update_callback(context, nil, nil)
    mpv_render_context_free(context)
    surface.free()
    ended.set()
  }

  private func render(for target: (any FrameTarget)?, isNew: Bool, on surface: inout Surface) {
    guard let target, let size = target.nextFrameSize(), size.width > 0, size.height > 0 else {
      // Counts as shown, and keeps mpv's timing.
      if isNew { skip() }
      return
    }
    let due = isNew ? targetTime : 0
    surface.resize(width: size.width, height: size.height)
    var extent = (CInt(size.width), CInt(size.height))
    var stride = surface.stride
    var blocks: CInt = 0
    let status = "bgr0".withCString { format in
      withUnsafeMutablePointer(to: &extent) { extent in
        withUnsafeMutablePointer(to: &stride) { stride in
          withUnsafeMutablePointer(to: &blocks) { blocks in
            var parameters = [
              mpv_render_param(type: MPV_RENDER_PARAM_SW_SIZE, data: extent),
              mpv_render_param(
                type: MPV_RENDER_PARAM_SW_FORMAT, data: UnsafeMutableRawPointer(mutating: format)),
              mpv_render_param(type: MPV_RENDER_PARAM_SW_STRIDE, data: stride),
              mpv_render_param(type: MPV_RENDER_PARAM_SW_POINTER, data: surface.base),
              mpv_render_param(type: MPV_RENDER_PARAM_BLOCK_FOR_TARGET_TIME, data: blocks),
              mpv_render_param(),
            ]
            return mpv_render_context_render(context, &parameters)
          }
        }
      }
    }
    guard status >= 0, let base = surface.base else { return }
    target.prepare(
      VideoFrame(base: base, width: size.width, height: size.height, stride: surface.stride))
    wait(until: due)
    target.present()
    mpv_render_context_report_swap(context)
  }

  private func skip() {
    var yes: CInt = 1
    var no: CInt = 0
    withUnsafeMutablePointer(to: &yes) { yes in
      withUnsafeMutablePointer(to: &no) { no in
        var parameters = [
          mpv_render_param(type: MPV_RENDER_PARAM_SKIP_RENDERING, data: yes),
          mpv_render_param(type: MPV_RENDER_PARAM_BLOCK_FOR_TARGET_TIME, data: no),
          mpv_render_param(),
        ]
        _ = mpv_render_context_render(context, &parameters)
      }
    }
  }

  /// The time at which the next picture must be visible, in `mpv_get_time_us`; 0 for at once.
  private var targetTime: Int64 {
    var info = mpv_render_frame_info()
    let status = withUnsafeMutablePointer(to: &info) { info in
      mpv_render_context_get_info(
        context, mpv_render_param(type: MPV_RENDER_PARAM_NEXT_FRAME_INFO, data: info))
    }
    return status >= 0 ? info.target_time : 0
  }

  /// Waits until a picture's time, but never longer than a picture of the slowest film lasts.
  private func wait(until due: Int64) {
    let left = min(due - mpv_get_time_us(core), 250_000)
    guard due > 0, left > 0 else { return }
    let time = timespec(tv_sec: 0, tv_nsec: Int(left) * 1000)
    withUnsafePointer(to: time) { time in
      // A signal may end the wait early: the picture is then shown some milliseconds too soon.
      _ = nanosleep(time, nil)
    }
  }

  /// The pixels. Rows begin at multiples of 64 bytes, which makes mpv's scaler fast, and there is one spare row.
  private struct Surface {
    private(set) var base: UnsafeMutableRawPointer?
    private(set) var stride = 0
    private var capacity = 0

    mutating func resize(width: Int, height: Int) {
      stride = (4 * width + 63) / 64 * 64
      let needed = stride * (height + 1)
      guard needed > capacity else { return }
      base?.deallocate()
      base = UnsafeMutableRawPointer.allocate(byteCount: needed, alignment: 64)
      base?.initializeMemory(as: UInt8.self, repeating: 0, count: needed)
      capacity = needed
    }

    mutating func free() {
      base?.deallocate()
      base = nil
    }
  }
}
