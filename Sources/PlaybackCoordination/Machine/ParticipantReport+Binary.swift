import Foundation
import GroupActivities

/// A report on the wire. Its state may be another participant's, so the report carries the proof of the state's author.
struct SignedReport: Hashable, Sendable {
  var report: ParticipantReport
  /// Nil without a state.
  var proof: Proof?
}

extension SignedReport: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(report)
    writer.flags(proof != nil)
    if let proof { writer.value(proof) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    report = try reader.value()
    if try reader.flag() { proof = try reader.value() }
  }
}

extension ParticipantReport: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    precondition(state == nil || state?.item == item, "a report's state is its item's")
    writer.flags(
      item != nil, state != nil, readyFor != nil && !isReadyForState, isReadyForState,
      waitedOut != nil, itemEnd != nil, !suspensions.isEmpty)
    writer.number(revision)
    writer.value(ReportDigest(self))
    if let item { writer.text(item) }
    if let state { state.write(to: &writer) }
    if let readyFor, !isReadyForState { writer.value(readyFor) }
    if let waitedOut { writer.list(waitedOut) }
    if let itemEnd { writer.signed(itemEnd) }
    if !suspensions.isEmpty { writer.list(suspensions) }
  }

  /// A Boolean value that indicates whether the player is ready for the state in the report, as it usually is.
  private var isReadyForState: Bool { readyFor != nil && readyFor == state?.stamp }

  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(7)
    self.init(revision: try reader.number(), suspensions: [])
    let digest: ReportDigest = try reader.value()
    digest.update(&self)
    if has[0] { item = try reader.text(limit: ItemState.identifierLimit) }
    if has[1] {
      guard let item else { throw .malformed }
      state = try ItemState(from: &reader, of: item)
    }
    if has[3] {
      readyFor = state?.stamp
      guard isReadyForState, !has[2] else { throw .malformed }
    }
    if has[2] {
      readyFor = try reader.value()
      guard !isReadyForState else { throw .malformed }
    }
    if has[4] { waitedOut = try reader.list(limit: WaitedOutReason.countLimit) }
    if has[5] { itemEnd = try reader.signed() }
    if has[6] {
      suspensions = try reader.list(limit: Self.suspensionLimit)
      guard !suspensions.isEmpty else { throw .malformed }
    }
  }
}

extension CoordinatedPlaybackSuspension.Reason: BinaryCodable {
  /// The usual reasons in the order of their numbers on the wire, from 1. Append new ones.
  private static let numbered: [Self] = [
    .audioSessionInterrupted, .stallRecovery, .playingInterstitial,
    .coordinatedPlaybackNotPossible, .userActionRequired, .userIsChangingCurrentTime,
  ]

  /// Writes the number of a usual reason; for another one, 0 and its text.
  package func write(to writer: inout BinaryWriter) {
    if let index = Self.numbered.firstIndex(of: self) {
      writer.byte(UInt8(index + 1))
    } else {
      writer.byte(0)
      writer.text(rawValue)
    }
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    let number = Int(try reader.byte())
    if number > 0 {
      guard number <= Self.numbered.count else { throw .unknown("reason \(number)") }
      self = Self.numbered[number - 1]
    } else {
      self.init(rawValue: try reader.text(limit: Self.lengthLimit))
      guard !Self.numbered.contains(self) else { throw .malformed }
    }
  }
}

extension WaitedOutReason: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(reason)
    writer.flags(limit != nil)
    if let limit { writer.signed(Int64(limit)) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    reason = try reader.value()
    if try reader.flag() { limit = Int(try reader.signed()) }
  }
}

extension ReportDigest: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    let values = [startLatency, rateChangeLatency, syncError, syncUncertainty, loadedPercent]
    writer.flags(
      startLatency != nil, rateChangeLatency != nil, syncError != nil, syncUncertainty != nil,
      loadedPercent != nil)
    for case let value? in values { writer.signed(value) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(5)
    if has[0] { startLatency = try reader.signed() }
    if has[1] { rateChangeLatency = try reader.signed() }
    if has[2] { syncError = try reader.signed() }
    if has[3] { syncUncertainty = try reader.signed() }
    if has[4] { loadedPercent = try reader.signed() }
  }
}
