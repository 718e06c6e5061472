import Foundation
import Reachability

/// `PortMapperProbe PORT LEASE`: keeps a port mapped with a lease of so many seconds, so that a test need
/// not wait for half of the usual one. Says each status, until it is killed.
@main
enum PortMapperProbe {
  static func main() async {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 2 else { exit(64) }
    let mapper = PortMapper(port: numbers[0], lease: .seconds(numbers[1]))
    await mapper.start()
    for await status in mapper.statuses {
      FileHandle.standardOutput.write(Data("\(status)\n".utf8))
    }
  }
}
