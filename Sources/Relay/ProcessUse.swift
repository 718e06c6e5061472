import Glibc

/// The machine's resources that this process uses.
struct ProcessUse: Hashable, Sendable {
  /// Memory that is in RAM, shared libraries included; 0 if the system doesn't report it.
  var residentBytes = 0
  /// User and system CPU time together.
  var cpuSeconds = 0.0

  /// Reads `/proc/self/statm` (proc_pid_statm(5)) and getrusage(2).
  static func now() -> ProcessUse {
    var use = ProcessUse()
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      for time in [usage.ru_utime, usage.ru_stime] {
        use.cpuSeconds += Double(time.tv_sec) + Double(time.tv_usec) / 1e6
      }
    }
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return use }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &text, text.count)
    let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    if fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) {
      use.residentBytes = pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }
    return use
  }
}
