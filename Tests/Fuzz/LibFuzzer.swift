#if FUZZER
  import Foundation

  /// LLVM's fuzzer, linked without its `main`: the test runner has one already, and only tests may
  /// import the program's internals.
  enum LibFuzzer {
    /// The target of every input. Set once, before the only thread that reads it begins.
    nonisolated(unsafe) private static var target: FuzzTarget?

    static func run(_ target: FuzzTarget) -> Never {
      Self.target = target
      let environment = ProcessInfo.processInfo.environment
      let found = environment["FOUND"] ?? FileManager.default.currentDirectoryPath
      // The growing corpus is outside the sources; the kept corpus is only read.
      let growing = found + "/" + target.name
      try? FileManager.default.createDirectory(
        atPath: growing, withIntermediateDirectories: true)
      for (number, seed) in target.seeds().enumerated() {
        try? Data(seed).write(to: URL(fileURLWithPath: "\(growing)/seed-\(number)"))
      }
      let executions = environment["EXECUTIONS"].flatMap { Int($0) }
      let limit =
        executions.map { "-runs=\($0)" }
        ?? "-max_total_time=\(environment["SECONDS_EACH"] ?? "60")"
      var arguments = [
        "fuzz", "-max_len=\(target.limit)", "-timeout=10", "-rss_limit_mb=2048",
        "-print_final_stats=1",
        "-artifact_prefix=\(found)/\(target.name)-", limit, growing,
      ]
      if FileManager.default.fileExists(atPath: target.corpusFolder.path) {
        arguments.append(target.corpusFolder.path)
      }
      var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { (text: String) in
        strdup(text)
      }
      pointers.append(nil)
      return pointers.withUnsafeMutableBufferPointer { buffer in
        var count = Int32(buffer.count - 1)
        var values = buffer.baseAddress!
        exit(
          runDriver(&count, &values) { bytes, count in
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            do {
              try LibFuzzer.target!.body(input)
            } catch {
              fatalError("\(error)")
            }
            return 0
          })
      }
    }
  }

  /// `FuzzerInterface.h` of LLVM's compiler-rt.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif
