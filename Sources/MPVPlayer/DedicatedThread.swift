import CMPV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Starts the player's own threads, for calls that block and so must stay out of Swift's pool.
enum DedicatedThread {
  /// - Parameter name: at most 15 bytes, shown by `top -H` and debuggers.
  static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let name: String
      let body: @Sendable () -> Void
      init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
      }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(name, body))
    let status = pthread_create(
      &thread, nil,
      { pointer in
        let box = Unmanaged<Box>.fromOpaque(pointer!).takeRetainedValue()
        cmpv_name_thread(box.name)
        box.body()
        return nil
      }, box.toOpaque())
    precondition(status == 0, "no thread for \(name): error \(status)")
    pthread_detach(thread)
  }
}
