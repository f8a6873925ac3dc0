// Networks of real size as text, for tests and benchmarks: written here so that no large file is kept.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace rx::views {

/// A ResNet over one 224 x 224 image: bottleneck blocks as in ResNet-50 where `counts` is {3, 4, 6, 3}. Weights are
/// called as exporters of PyTorch call them ("layer2_0_conv1_weight"), or "w0", "w1", … where names are to say nothing.
class ResNetText {
 public:
  explicit ResNetText(bool namedWeights) : named_(namedWeights) {}

  QByteArray write(const std::vector<int>& counts) {
    shape_ = {3, 224};
    value_ = "x";
    conv("stem", 64, 7, 2);
    norm("stem_norm");
    relu();
    bind("R.nn.max_pool2d(" + value_ + ", pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])");
    shape_.side /= 2;
    for (size_t group = 0; group < counts.size(); ++group)
      for (int i = 0; i < counts[group]; ++i)
        bottleneck(QStringLiteral("layer%1_%2_").arg(group + 1).arg(i), 64 << group, group > 0 && i == 0 ? 2 : 1);
    bind("R.mean(" + value_ + ", axis=[2, 3])");
    const QString weight = param("head_weight", QStringLiteral("(%1, 1000)").arg(shape_.channels));
    bind("R.matmul(" + value_ + ", " + weight + ")");
    const QString bias = param("head_bias", "(1000,)");
    bind("R.add(" + value_ + ", " + bias + ")");
    bind("R.nn.softmax(" + value_ + ")");
    return text().toUtf8();
  }

 private:
  struct Shape {
    int channels = 0, side = 0;
  };

  QString param(const QString& name, const QString& shape) {
    const QString called = named_ ? name : QStringLiteral("w%1").arg(params_.size());
    params_ << QStringLiteral("%1: R.Tensor(%2, dtype=\"float32\")").arg(called, shape);
    return called;
  }
  void bind(const QString& value) {
    value_ = QStringLiteral("lv%1").arg(lines_.size());
    lines_ << value_ + " = " + value;
  }
  void conv(const QString& name, int filters, int kernel, int stride) {
    const QString weight =
        param(name + "_weight", QStringLiteral("(%1, %2, %3, %3)").arg(filters).arg(shape_.channels).arg(kernel));
    const QString pad = QString::number(kernel / 2), step = QString::number(stride);
    bind(QStringLiteral("R.nn.conv2d(%1, %2, strides=[%3, %3], padding=[%4, %4, %4, %4])")
             .arg(value_, weight, step, pad));
    shape_ = {filters, (shape_.side + stride - 1) / stride};
  }
  void norm(const QString& name) {
    QString call = "R.nn.batch_norm(" + value_;
    for (const char* part : {"_gamma", "_beta", "_mean", "_var"})
      call += ", " + param(name + part, QStringLiteral("(%1,)").arg(shape_.channels));
    bind(call + ", axis=1, training=False)");
    bind(value_ + "[0]");
  }
  void relu() { bind("R.nn.relu(" + value_ + ")"); }
  void bottleneck(const QString& name, int width, int stride) {
    const QString input = value_;
    const Shape before = shape_;
    QString shortcut = input;
    if (stride != 1 || before.channels != width * 4) {
      conv(name + "down", width * 4, 1, stride);
      norm(name + "down_norm");
      shortcut = value_;
    }
    value_ = input, shape_ = before;
    conv(name + "conv1", width, 1, 1), norm(name + "norm1"), relu();
    conv(name + "conv2", width, 3, stride), norm(name + "norm2"), relu();
    conv(name + "conv3", width * 4, 1, 1), norm(name + "norm3");
    bind("R.add(" + value_ + ", " + shortcut + ")");
    relu();
  }
  QString text() const {
    QString text =
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
        "    @R.function\n    def main(x: R.Tensor((1, 3, 224, 224), dtype=\"float32\"), " +
        params_.join(", ") + "):\n        R.func_attr({\"num_input\": 1})\n        with R.dataflow():\n";
    for (const QString& line : lines_) text += "            " + line + '\n';
    return text + "            R.output(" + value_ + ")\n        return " + value_ + '\n';
  }

  bool named_;
  Shape shape_;
  QString value_;
  QStringList params_, lines_;
};

}  // namespace rx::views
