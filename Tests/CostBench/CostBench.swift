import ArgumentParser
import Foundation
import GroupActivities
import Timekeeping

/// What a participant's presence and clock cost it, by the size of its party.
@main
struct CostBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what presence and clock cost a participant, in bytes a second.")

  @Option(help: "Sizes with real connections: parties over sockets to a relay in this process.")
  var real = "2,4,8,16,50,100,200,500"

  @Option(help: "Sizes in the simulator.")
  var simulated = "2,4,8,16,50,100,500,1000,2500,10000"

  @Option(help: "Seconds to measure.")
  var seconds = 60.0

  @Option(help: "Sizes of a crowd that seeks while it chats: a relay in this process.")
  var crowd = ""

  @Option(help: "Seeks in a row of such a crowd.")
  var seeks = 3

  func run() async throws {
    if !crowd.isEmpty {
      print("chat in a crowd that seeks:")
      print(CrowdedChat.header)
      for size in Self.sizes(crowd) {
        print(try await CrowdedChat.measure(size: size, seeks: seeks))
      }
      return
    }
    print("presence and clock, bytes a second of one participant (target: below 2000)")
    print("\nreal connections, \(Int(seconds)) s:")
    print(Cost.header)
    for size in Self.sizes(real) {
      print(try await RealParty.measure(size: size, seconds: seconds).row)
    }
    print("\nsimulated, \(Int(seconds)) s:")
    print(Cost.header)
    for size in Self.sizes(simulated) {
      print(SimulatedParty.measure(size: size, seconds: seconds).row)
    }
  }

  private static func sizes(_ list: String) -> [Int] {
    list.split(separator: ",").compactMap { Int($0) }
  }
}

/// One line of the table.
struct Cost {
  var size: Int
  /// Of all participants, in bytes a second.
  var received: [Double]
  var sent: [Double]
  /// The reference's: everybody asks it what time it is.
  var reference: (received: Double, sent: Double)
  /// How many somebody in the middle of the party thinks there are.
  var counted: Int

  static let header =
    "   size   in: median     max    out: median     max    reference: in     out   counted"

  var row: String {
    func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    return String(
      format: "%7d %12.0f %7.0f %14.0f %7.0f %16.0f %7.0f %9d", size, middle(received),
      received.max()!, middle(sent), sent.max()!, reference.received, reference.sent, counted)
  }
}
