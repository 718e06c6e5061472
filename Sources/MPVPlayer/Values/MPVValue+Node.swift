import CMPV
import FileNames

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension MPVValue {
  /// Copies a node; the caller keeps ownership of the node.
  init(_ node: mpv_node) {
    switch node.format {
    case MPV_FORMAT_STRING, MPV_FORMAT_OSD_STRING:
      let text = node.u.string!
      self = .string(String(validatingCString: text) ?? FileName.text(cString: text))
    case MPV_FORMAT_FLAG: self = .flag(node.u.flag != 0)
    case MPV_FORMAT_INT64: self = .integer(node.u.int64)
    case MPV_FORMAT_DOUBLE: self = .double(node.u.double_)
    case MPV_FORMAT_NODE_ARRAY:
      let list = node.u.list.pointee
      self = .array((0..<Int(list.num)).map { MPVValue(list.values[$0]) })
    case MPV_FORMAT_NODE_MAP:
      let list = node.u.list.pointee
      var values: [String: MPVValue] = [:]
      for index in 0..<Int(list.num) {
        guard let key = list.keys[index] else { continue }
        values[String(cString: key)] = MPVValue(list.values[index])
      }
      self = .map(values)
    default: self = .none  // MPV_FORMAT_NONE, and byte arrays, which the player never requests
    }
  }

  /// Calls `body` with a node that lives until `body` returns; libmpv copies the data that it keeps.
  func withNode<R>(_ body: (UnsafeMutablePointer<mpv_node>) -> R) -> R {
    var node = makeNode()
    defer { MPVValue.release(node) }
    return body(&node)
  }

  /// Returns a node allocated with `malloc`, recursively; ``release(_:)`` frees it.
  private func makeNode() -> mpv_node {
    var node = mpv_node()
    switch self {
    case .none: node.format = MPV_FORMAT_NONE
    case .string(let value):
      node.format = MPV_FORMAT_STRING
      node.u.string = strdup(value)
    case .flag(let value):
      node.format = MPV_FORMAT_FLAG
      node.u.flag = value ? 1 : 0
    case .integer(let value):
      node.format = MPV_FORMAT_INT64
      node.u.int64 = value
    case .double(let value):
      node.format = MPV_FORMAT_DOUBLE
      node.u.double_ = value
    case .array(let values):
      node.format = MPV_FORMAT_NODE_ARRAY
      node.u.list = MPVValue.makeList(values, keys: nil)
    case .map(let values):
      let pairs = Array(values)
      node.format = MPV_FORMAT_NODE_MAP
      node.u.list = MPVValue.makeList(pairs.map(\.value), keys: pairs.map(\.key))
    }
    return node
  }

  private static func makeList(
    _ values: [MPVValue], keys: [String]?
  ) -> UnsafeMutablePointer<mpv_node_list> {
    let list = UnsafeMutablePointer<mpv_node_list>.allocate(capacity: 1)
    list.initialize(to: mpv_node_list())
    list.pointee.num = CInt(values.count)
    list.pointee.values = .allocate(capacity: max(values.count, 1))
    for (index, value) in values.enumerated() {
      (list.pointee.values + index).initialize(to: value.makeNode())
    }
    if let keys {
      list.pointee.keys = .allocate(capacity: max(keys.count, 1))
      for (index, key) in keys.enumerated() {
        (list.pointee.keys + index).initialize(to: strdup(key))
      }
    }
    return list
  }

  private static func release(_ node: mpv_node) {
    switch node.format {
    case MPV_FORMAT_STRING: free(node.u.string)
    case MPV_FORMAT_NODE_ARRAY, MPV_FORMAT_NODE_MAP:
      guard let list = node.u.list else { return }
      for index in 0..<Int(list.pointee.num) {
        release(list.pointee.values[index])
        if let keys = list.pointee.keys { free(keys[index]) }
      }
      list.pointee.values.deallocate()
      list.pointee.keys?.deallocate()
      list.deallocate()
    default: break  // the value is in the node itself
    }
  }
}
